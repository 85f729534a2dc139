#include "app/cli/run_watch.h"

#include "app/cli/report.h"
#include "core/base/system.h"
#include "core/base/text.h"
#include "core/run/exit_code.h"
#include "core/run/termination.h"
#include "core/runfolder/run_status.h"

#include <chrono>
#include <csignal>

namespace anneal::cli {

namespace {

constexpr auto waitForChange = std::chrono::milliseconds(250);
constexpr auto coalesce = std::chrono::milliseconds(100);
/// An engine that is restarted looks dead for a moment.
constexpr double settleSeconds = 3;

/// Passes Ctrl-C on: first a command to save and stop, then the end at once.
class Interrupts {
public:
    explicit Interrupts(const LaunchedRun& run) : run_(run) { TerminationSignals::install(); }

    void passOn(ProgressView& view) {
        const int wanted =
            std::min(2, TerminationSignals::interrupts() + std::min(1, TerminationSignals::gentle()));
        if (wanted > passed_ && passed_ == 0) {
            view.say("saving and stopping; Ctrl-C again stops at once");
            if (const auto asked = writeCommand(run_.folder, "stop"); !asked)
                view.say(asked.error().text());
        } else if (wanted > passed_) {
            view.say("stopping at once");
            ::kill(run_.supervisor, SIGINT);
        }
        passed_ = std::max(passed_, wanted);
    }

private:
    LaunchedRun run_;
    int passed_ = 0;
};

std::string phaseTable(const std::vector<std::pair<std::string, double>>& phases) {
    TextTable table;
    for (const auto& [name, seconds] : phases)
        table.add({name, formatDuration(seconds)});
    return table.text();
}

} // namespace

RunWatch::RunWatch(const RunFolder& folder) : follower_(folder) { watcher_.add(folder.path()); }

RunWatch::RunWatch(const LaunchedRun& run) : RunWatch(run.folder) {
    supervisor_ = run.supervisor;
    supervisorStart_ = processStartTime(run.supervisor);
}

RunFollower::Update RunWatch::next() {
    if (watcher_.wait(waitForChange))
        std::this_thread::sleep_for(coalesce);
    return follower_.poll();
}

bool RunWatch::supervisorLives() const {
    return supervisorStart_ != 0 && processStartTime(supervisor_) == supervisorStart_;
}

bool RunWatch::neverBegan() {
    const auto state = readState(folder());
    return supervisor_ != 0 && !supervisorLives() && state && state->status == RunStatus::Queued;
}

bool RunWatch::over() {
    const auto state = readState(folder());
    if (!state)
        return false;
    const bool active =
        isAlive(*state, unixSeconds()) || (state->status == RunStatus::Queued && !neverBegan());
    if (active)
        return overSince_ = 0, false;
    if (state->exit_code || (supervisor_ != 0 && !supervisorLives()))
        return true;
    if (overSince_ == 0)
        overSince_ = monotonicSeconds();
    return supervisor_ == 0 && monotonicSeconds() - overSince_ > settleSeconds;
}

int RunWatch::exitCode() {
    const auto state = readState(folder());
    if (state && state->exit_code)
        return static_cast<int>(*state->exit_code);
    return exitCodeOf(summary().status);
}

int followToTheEnd(const LaunchedRun& run, bool json) {
    Interrupts interrupts(run);
    RunWatch watch(run);
    ProgressView view(stderr);
    bool over = false;
    while (!over) {
        over = watch.over(); // before the last look at the events
        for (const auto& record : watch.next().events)
            view.show(record);
        view.update(watch.summary());
        interrupts.passOn(view);
    }
    const auto phases = view.finish(unixSeconds());
    if (watch.neverBegan())
        return fail(failure("The run " + run.folder.id() + " never began.",
                            "See " + (run.folder.logs() / "supervisor.log").string() + "."));
    const auto summary = watch.summary();
    if (json)
        printJson(toJson(summary));
    else
        std::printf("\n%s\n%s", phaseTable(phases).c_str(), summaryText(summary).c_str());
    if (summary.status == RunStatus::Failed)
        std::fprintf(stderr, "%s\n", summary.reason.c_str());
    return watch.exitCode();
}

} // namespace anneal::cli
