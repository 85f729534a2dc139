#include "app/cli/commands.h"
#include "core/run/server.h"
#include "core/run/supervisor.h"

#include <unistd.h>

namespace anneal::cli {

int superviseCommand(const std::string& runFolder) { return superviseRun(runFolder); }

int serveCommand(const std::string& runsFolder) {
    return Server(STDIN_FILENO, STDOUT_FILENO, chosenRunsFolder(runsFolder)).run();
}

} // namespace anneal::cli
