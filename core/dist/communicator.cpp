#include "core/dist/communicator.h"

#include "core/base/text.h"

#include <cstdlib>

namespace anneal {

Result<std::unique_ptr<Communicator>> communicatorFromEnvironment() {
    const char* text = std::getenv("WORLD_SIZE");
    const auto worldSize = text ? parseInteger(text) : 1;
    if (!worldSize || *worldSize < 1)
        return invalidInput(std::string("WORLD_SIZE is '") + text + "', not a number of ranks.",
                            "Start the engine with torchrun or `anneal run`.");
    if (*worldSize > 1)
        return invalidInput("This engine runs one rank, and WORLD_SIZE asks for " +
                                std::to_string(*worldSize) + ".",
                            "Set hardware.ranks to 1 and hardware.nodes to 1.");
    return std::unique_ptr<Communicator>(std::make_unique<SingleRank>());
}

} // namespace anneal
