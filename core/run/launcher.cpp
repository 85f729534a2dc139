#include "core/run/launcher.h"

#include "core/base/system.h"
#include "core/run/child_process.h"
#include "core/run/run_record.h"
#include "core/runfolder/registry.h"
#include "core/runfolder/run_status.h"

#include <cstdlib>
#include <thread>

namespace anneal {

namespace {

/// How long an engine whose supervisor is gone may take to save and end before a resume gives up.
constexpr double orphanSeconds = 60;

/// The program that has the subcommand `supervise`: this one, or the one beside it for programs that only
/// link us.
Result<fs::path> supervisorPath() {
    std::error_code ignored;
    const auto beside = programFolder() / "anneal";
    if (fs::exists(beside, ignored))
        return beside;
    return failure("There is no program anneal in " + programFolder().string() + ".",
                   "Install Anneal's programs side by side.");
}

std::string nameOf(const RunConfig& config) {
    if (!config.name.empty())
        return config.name;
    const auto path = fs::path(config.model.path);
    return path.extension() == ".gguf" ? path.stem().string() : path.filename().string();
}

Status queue(const RunFolder& folder) {
    const auto old = readState(folder);
    RunState state = old ? *old : RunState{};
    state.status = RunStatus::Queued;
    state.reason.clear();
    state.phase.clear();
    state.exit_code.reset();
    state.pid = 0;
    state.host = hostName();
    state.boot_id = bootId();
    if (state.created == 0)
        state.created = unixSeconds();
    return writeState(folder, state);
}

/// After a supervisor was killed its engine saves and ends by itself.
void waitForOrphan(const RunFolder& folder) {
    const auto alive = [&] {
        const auto state = readState(folder);
        return state && isAlive(*state, unixSeconds());
    };
    for (const double start = monotonicSeconds();
         !hasSupervisor(folder) && alive() && monotonicSeconds() - start < orphanSeconds;)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

Status checkResumable(const RunFolder& folder, bool changed) {
    waitForOrphan(folder);
    const auto state = readState(folder);
    if (!state)
        return state.error();
    if (hasSupervisor(folder) || isAlive(*state, unixSeconds()))
        return invalidInput("The run " + folder.id() + " is " +
                                statusName(effectiveStatus(*state, unixSeconds())) + " on " + state->host +
                                "; it cannot be started a second time.",
                            "`anneal attach " + folder.id() + "` follows it.");
    if (state->status == RunStatus::Finished && !changed)
        return invalidInput(
            "The run " + folder.id() + " is finished at step " + std::to_string(state->step) + ".",
            "To train on, raise its length: `anneal resume " + folder.id() + " --set training.epochs=...`.");
    return {};
}

} // namespace

Result<RunFolder> createRun(const RunConfig& config, const fs::path& runs,
                            const std::optional<std::string>& id) {
    ANNEAL_TRY(const auto folder, createRunFolder(runs, id, nameOf(config)));
    ANNEAL_CHECK(writeRunConfig(folder, config, resolvedAtStart(config)));
    ANNEAL_CHECK(queue(folder));
    return folder;
}

Result<LaunchedRun> launchRun(const RunFolder& folder) {
    ANNEAL_TRY(const auto program, supervisorPath());
    ANNEAL_CHECK(makePrivateFolder(folder.logs()));
    ANNEAL_TRY(const int pid, startDetached({program.string(), "supervise", folder.path().string()},
                                            folder.logs() / "supervisor.log"));
    return LaunchedRun{folder, pid};
}

bool hasSupervisor(const RunFolder& folder) {
    std::error_code ignored;
    return fs::exists(folder.lock(), ignored) && !FileLock::tryLock(folder.lock());
}

Result<LaunchedRun> relaunchRun(const RunFolder& folder, const std::optional<RunConfig>& config) {
    ANNEAL_CHECK(checkResumable(folder, config.has_value()));
    if (config) {
        ANNEAL_TRY(const auto loaded, readRunConfig(folder));
        ANNEAL_CHECK(writeRunConfig(folder, *config, loaded.resolved));
    }
    while (takeCommand(folder)) { // what was asked of the last start does not concern this one
    }
    ANNEAL_CHECK(queue(folder));
    return launchRun(folder);
}

} // namespace anneal
