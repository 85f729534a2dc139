#include "core/run/supervisor.h"

#include "core/base/system.h"
#include "core/base/text.h"
#include "core/run/event_recorder.h"
#include "core/run/exit_code.h"
#include "core/run/metrics_server.h"
#include "core/run/notification.h"
#include "core/run/preparation.h"
#include "core/run/rank_group.h"
#include "core/run/run_record.h"
#include "core/run/state_keeper.h"
#include "core/run/telemetry_recorder.h"
#include "core/run/termination.h"
#include "core/runfolder/run_status.h"
#include "core/runfolder/run_summary.h"

#include <csignal>
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace anneal {

namespace {

constexpr auto pollInterval = std::chrono::milliseconds(100);
/// How long an engine that has said its last word may take to end.
constexpr double lingerSeconds = 60;
constexpr double restartDelaySeconds = 1;
constexpr int lockTries = 5;
constexpr std::uint64_t logTailBytes = 4096;

void log(const std::string& text) { std::fprintf(stderr, "%.1f %s\n", unixSeconds(), text.c_str()); }

bool isOver(RunStatus status) { return status != RunStatus::Queued && !isActive(status); }

/// Watches one start of the engine: passes signals on and ends what lingers.
class EngineWatch {
public:
    EngineWatch(RunFolder folder, RankGroup& ranks, double stopSeconds)
        : folder_(std::move(folder)), ranks_(ranks), stopSeconds_(stopSeconds) {}

    ProcessEnd wait() {
        for (;;) {
            if (const auto end = ranks_.poll())
                return *end;
            passSignals();
            endWhatLingers();
            std::this_thread::sleep_for(pollInterval);
        }
    }
    /// Whether a signal to the supervisor ended the engine.
    bool askedToEnd() const { return askedAt_ > 0; }

private:
    void passSignals() {
        if (TerminationSignals::interrupts() > 0) {
            askedAt_ = monotonicSeconds();
            ranks_.signal(SIGKILL);
        } else if (TerminationSignals::gentle() > 0 && askedAt_ == 0) {
            askedAt_ = monotonicSeconds();
            ranks_.signal(SIGTERM);
        } else if (askedAt_ > 0 && monotonicSeconds() - askedAt_ > stopSeconds_) {
            ranks_.signal(SIGKILL);
        }
    }

    void endWhatLingers() {
        const double now = monotonicSeconds();
        if (now - lookedAt_ < 1)
            return;
        lookedAt_ = now;
        const auto state = readState(folder_);
        if (!state || !isOver(state->status))
            overSince_ = 0;
        else if (overSince_ == 0)
            overSince_ = now;
        else if (now - overSince_ > lingerSeconds)
            ranks_.signal(SIGKILL);
    }

    RunFolder folder_;
    RankGroup& ranks_;
    double stopSeconds_;
    double askedAt_ = 0, lookedAt_ = 0, overSince_ = 0; ///< monotonic
};

class Supervisor {
public:
    explicit Supervisor(RunFolder folder) : folder_(std::move(folder)), events_(folder_) {}

    int run() {
        int code = 0;
        {
            const auto lock = takeRun();
            if (!lock) {
                log(lock.error().text());
                return exitCode(lock.error().kind);
            }
            log("supervising " + folder_.path().string());
            code = carryOut();
            finish(code);
        }
        exitCommand(); // without the lock: the run may be resumed meanwhile
        return code;
    }

private:
    Result<FileLock> takeRun() {
        auto lock = FileLock::tryLock(folder_.lock());
        for (int tries = 0; !lock && tries < lockTries;
             ++tries) { // somebody may only look whether it is free
            std::this_thread::sleep_for(pollInterval);
            lock = FileLock::tryLock(folder_.lock());
        }
        if (!lock)
            return failure("Another supervisor has the run " + folder_.id() + ".",
                           "`anneal attach` follows it.");
        const auto state = readState(folder_);
        if (state && isAlive(*state, unixSeconds()))
            return failure("The run " + folder_.id() + " is still alive on " + state->host + ", process " +
                               std::to_string(state->pid) + ".",
                           "Wait until it has ended.");
        return lock;
    }

    int carryOut() {
        clearExitCode();
        TelemetryRecorder telemetry(folder_);
        const auto prepared = prepare();
        if (!prepared)
            return endBeforeEngine(prepared.error());
        return runEngine(telemetry);
    }

    void clearExitCode() {
        auto state = readState(folder_);
        RunState fresh = state ? *state : RunState{};
        fresh.exit_code.reset();
        if (fresh.created == 0)
            fresh.created = unixSeconds();
        (void)writeState(folder_, fresh);
    }

    Status prepare() {
        CancelToken cancel;
        const auto listen = [&] {
            if (takeCommandNamed(folder_, "stop")) {
                events_.write(CommandEvent{0, "stop", "accepted"});
                cancel.cancel();
            }
            if (TerminationSignals::gentle() + TerminationSignals::interrupts() > 0)
                cancel.cancel();
        };
        listen();
        StateKeeper state(folder_, RunStatus::Preparing, "", listen);
        events_.write(PhaseEvent{"preparing data", 0, 0, ""});
        state.setPhase("preparing data");
        ProgressThrottle throttle;
        const auto progress = [&](const PrepareProgress& p) {
            const auto phase = "preparing data: " + p.phase;
            state.setPhase(phase);
            if (throttle.due(phase))
                events_.write(PhaseEvent{phase, p.done, p.total, p.unit});
        };
        auto prepared = cancel.cancelled() ? Status() : prepareRun(folder_, progress, cancel);
        if (cancel.cancelled())
            return Error{"Stopped on request while its data was prepared.", "", ErrorKind::Stopped};
        return prepared;
    }

    /// The run ends with `error` and no engine is there to say so.
    int endBeforeEngine(Error error) {
        if (error.kind == ErrorKind::Failure)
            error.kind = ErrorKind::RunFailed;
        log(error.text());
        const auto state = readState(folder_);
        const auto step = state ? state->step : 0;
        const auto status = error.kind == ErrorKind::Stopped ? RunStatus::Stopped : RunStatus::Failed;
        if (status == RunStatus::Failed)
            events_.write(ErrorEvent{step, error.message, error.fix});
        events_.write(
            FinishedEvent{step, statusName(status), error.message, state ? state->active_seconds : 0});
        StateKeeper(folder_, status, error.text(), {});
        return exitCode(error.kind);
    }

    int runEngine(TelemetryRecorder& telemetry) {
        const auto loaded = readRunConfig(folder_);
        if (!loaded)
            return endBeforeEngine(loaded.error());
        const auto metrics = startMetrics(loaded->config.monitoring);
        const auto& hardware = loaded->config.hardware;
        const int rankCount = static_cast<int>(parseInteger(hardware.ranks).value_or(1));
        for (std::int64_t restarts = 0;; ++restarts) {
            auto ranks = RankGroup::start(folder_, rankCount);
            if (!ranks)
                return endBeforeEngine(ranks.error());
            telemetry.setProcesses(ranks->pids());
            EngineWatch watch(folder_, *ranks, hardware.timeout_seconds);
            const auto end = watch.wait();
            telemetry.setProcesses({});
            log("the engine ended: " + end.text());
            if (endedByItself(end) || isOver(status()))
                return ensureEnd(end);
            if (watch.askedToEnd() || status() == RunStatus::Stopping)
                return endBeforeEngine(Error{"Stopped at once, " + end.text() + ".",
                                             "`anneal resume` continues from the last checkpoint.",
                                             ErrorKind::Stopped});
            if (restarts >= hardware.max_restarts)
                return endBeforeEngine(crash(end));
            announceRestart(end, restarts + 1, hardware.max_restarts);
        }
    }

    /// A run goes on without its metrics.
    std::unique_ptr<MetricsServer> startMetrics(const MonitoringSettings& monitoring) {
        if (!monitoring.prometheus)
            return nullptr;
        auto server = MetricsServer::start(*monitoring.prometheus, folder_);
        if (server)
            return *std::move(server);
        log(server.error().text());
        events_.write(WarningEvent{0, server.error().message, server.error().fix});
        return nullptr;
    }

    static bool endedByItself(const ProcessEnd& end) {
        return end.signal == 0 &&
               (end.exitCode == 0 || end.exitCode == 2 || end.exitCode == 3 || end.exitCode == 4);
    }

    RunStatus status() const {
        const auto state = readState(folder_);
        return state ? state->status : RunStatus::Running;
    }

    static int codeOf(RunStatus status) {
        switch (status) {
        case RunStatus::Finished: return 0;
        case RunStatus::Failed: return exitCode(ErrorKind::RunFailed);
        default: return exitCode(ErrorKind::Stopped);
        }
    }

    /// The engine writes its own end; when it could not, its exit code and last words stand in.
    int ensureEnd(const ProcessEnd& end) {
        const auto state = readState(folder_);
        if (state && isOver(state->status))
            return endedByItself(end) ? end.exitCode : codeOf(state->status);
        if (end.exitCode == 0) {
            events_.write(
                FinishedEvent{state ? state->step : 0, "finished", "", state ? state->active_seconds : 0});
            StateKeeper(folder_, RunStatus::Finished, "", {});
            return 0;
        }
        auto error = crash(end);
        error.kind = end.exitCode == 2   ? ErrorKind::InvalidInput
                     : end.exitCode == 4 ? ErrorKind::Stopped
                                         : ErrorKind::RunFailed;
        return endBeforeEngine(std::move(error));
    }

    Error crash(const ProcessEnd& end) const {
        return {"The engine ended with " + end.text() + lastWords() + ".",
                "See " + (folder_.logs() / "rank-0.log").string() + "; `anneal resume " + folder_.id() +
                    "` continues from the last checkpoint.",
                ErrorKind::RunFailed};
    }

    /// The last line of rank 0's log, if there is one.
    std::string lastWords() const {
        auto follower = LineFollower::fromTail(folder_.logs() / "rank-0.log", logTailBytes);
        for (const auto lines = follower.poll(); !lines.empty();)
            return "; it last said: " + std::string(trim(lines.back()));
        return {};
    }

    void announceRestart(const ProcessEnd& end, std::int64_t number, std::int64_t most) {
        const auto checkpoints = listCheckpoints(folder_);
        // The step it goes on from: a later one would be superseded with the steps that are lost.
        const auto step = checkpoints.empty() ? 0 : checkpoints.back().step;
        const auto text = "The engine ended with " + end.text() +
                          "; it is started again from the last checkpoint (" + std::to_string(number) +
                          " of at most " + std::to_string(most) + ").";
        log(text);
        events_.write(WarningEvent{step, text, "See logs/rank-0.log."});
        const StateKeeper keeper(folder_, RunStatus::Preparing, text, {});
        std::this_thread::sleep_for(std::chrono::duration<double>(restartDelaySeconds));
    }

    void finish(int code) {
        while (const auto command = takeCommand(folder_))
            events_.write(CommandEvent{0, command->command, "the run has ended"});
        if (auto state = readState(folder_)) {
            state->exit_code = code;
            (void)writeState(folder_, *state);
        }
        const auto loaded = readRunConfig(folder_);
        const auto summary = summarizeRun(folder_);
        if (!loaded || !summary)
            return;
        notifyEnd(loaded->config.notify, *summary);
    }

    void exitCommand() {
        const auto loaded = readRunConfig(folder_);
        const auto summary = summarizeRun(folder_);
        if (loaded && summary)
            runOnExit(loaded->config.on_exit, *summary, [this] {
                return TerminationSignals::gentle() + TerminationSignals::interrupts() > 0 ||
                       !isOver(status());
            });
    }

    RunFolder folder_;
    EventRecorder events_;
};

} // namespace

int superviseRun(const fs::path& runFolder) {
    ::setsid(); // fails when it leads a session already: then all is well
    std::signal(SIGHUP, SIG_IGN);
    TerminationSignals::install();
    const RunFolder folder(fs::absolute(runFolder).lexically_normal());
    std::error_code ignored;
    if (!fs::exists(folder.config(), ignored)) {
        log(folder.path().string() + " holds no run.yaml. Start runs with `anneal run`.");
        return exitCode(ErrorKind::InvalidInput);
    }
    return Supervisor(folder).run();
}

} // namespace anneal
