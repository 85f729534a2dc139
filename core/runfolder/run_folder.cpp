#include "core/runfolder/run_folder.h"

#include <cstdio>

namespace anneal {

namespace {
constexpr std::uint64_t maxStateBytes = 1u << 20;
} // namespace

fs::path RunFolder::checkpoint(std::int64_t step) const {
    char name[32];
    std::snprintf(name, sizeof name, "step-%08lld", static_cast<long long>(step));
    return checkpoints() / name;
}

Result<RunState> readState(const RunFolder& folder) {
    ANNEAL_TRY(const auto json, readJsonFile(folder.state(), maxStateBytes));
    RunState state;
    if (!fromJson(json, state))
        return failure(folder.state().string() + " has a field of the wrong type.",
                       "It was written by another version of Anneal; view the run with that version.");
    return state;
}

Status writeState(const RunFolder& folder, const RunState& state) {
    return writeFileAtomic(folder.state(), dumpJsonPretty(toJson(state)));
}

} // namespace anneal
