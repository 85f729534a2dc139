#include "core/run/run_control.h"

#include "core/base/system.h"
#include "core/run/launcher.h"
#include "core/runfolder/run_status.h"

#include <functional>
#include <thread>

namespace anneal {

namespace {

RunStatus statusOf(const RunFolder& folder) {
    const auto state = readState(folder);
    return state ? effectiveStatus(*state, unixSeconds()) : RunStatus::Interrupted;
}

/// Queued runs have a supervisor on its way.
bool answers(RunStatus status) { return isActive(status) || status == RunStatus::Queued; }

Status requireActive(const RunFolder& folder, const std::string& verb) {
    const auto status = statusOf(folder);
    if (answers(status))
        return {};
    return invalidInput("The run " + folder.id() + " is " + statusName(status) + "; there is nothing to " +
                            verb + ".",
                        "`anneal show " + folder.id() + "` tells more.");
}

bool waitUntil(double seconds, const std::function<bool()>& done) {
    for (const double end = monotonicSeconds() + seconds; !done();) {
        if (monotonicSeconds() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return true;
}

/// Reads what the run answers to a command that is given after construction.
class AnswerReader {
public:
    explicit AnswerReader(const RunFolder& folder) : follower_(LineFollower::fromTail(folder.events(), 0)) {}

    std::optional<std::string> outcomeOf(const std::string& command) {
        for (const auto& line : follower_.poll())
            if (const auto record = eventFromJson(line))
                if (const auto* answer = std::get_if<CommandEvent>(&record->event);
                    answer && answer->command == command)
                    return answer->outcome;
        return std::nullopt;
    }

private:
    JsonlFollower follower_;
};

std::string later(const RunFolder& folder, const std::string& verb) {
    return "Asked " + folder.id() + " to " + verb + "; it does so at its next step boundary.";
}

/// Gives the command and waits for its answer, then for `reached`.
Result<std::string> ask(const RunFolder& folder, const std::string& command, const std::string& done,
                        double seconds, const std::function<bool()>& reached) {
    ANNEAL_CHECK(requireActive(folder, command));
    AnswerReader answers(folder);
    ANNEAL_CHECK(writeCommand(folder, command));
    std::optional<std::string> outcome;
    const bool answered = waitUntil(seconds, [&] {
        if (!outcome)
            outcome = answers.outcomeOf(command);
        return (outcome && *outcome != "accepted") || reached();
    });
    if (outcome && *outcome != "accepted")
        return invalidInput("The run " + folder.id() + " did not " + command + ": " + *outcome + ".");
    return answered ? folder.id() + " " + done : later(folder, command);
}

} // namespace

Result<std::string> stopRun(const RunFolder& folder, double waitSeconds) {
    return ask(folder, "stop", "has stopped; `anneal resume " + folder.id() + "` continues it.", waitSeconds,
               [&] { return !answers(statusOf(folder)) && !hasSupervisor(folder); });
}

Result<std::string> pauseRun(const RunFolder& folder, double waitSeconds) {
    if (statusOf(folder) == RunStatus::Paused)
        return invalidInput("The run " + folder.id() + " is paused already.",
                            "`anneal resume " + folder.id() + "` continues it.");
    return ask(folder, "pause", "is paused; `anneal resume " + folder.id() + "` continues it.", waitSeconds,
               [&] { return statusOf(folder) == RunStatus::Paused; });
}

Result<std::string> saveRun(const RunFolder& folder, double waitSeconds) {
    const auto before = listCheckpoints(folder).size();
    return ask(folder, "save", "has saved a checkpoint.", waitSeconds,
               [&] { return listCheckpoints(folder).size() > before; });
}

Result<std::string> resumeRun(const RunFolder& folder, double waitSeconds) {
    if (statusOf(folder) == RunStatus::Paused)
        return ask(folder, "resume", "goes on.", waitSeconds,
                   [&] { return statusOf(folder) != RunStatus::Paused; });
    ANNEAL_TRY(const auto launched, relaunchRun(folder, std::nullopt));
    return launched.folder.id() + " goes on in the background; `anneal attach " + folder.id() +
           "` follows it.";
}

Result<std::string> deleteRun(const RunFolder& folder) {
    std::error_code error;
    if (!fs::exists(folder.config(), error) && !fs::exists(folder.state(), error))
        return invalidInput(folder.path().string() + " is not a run folder.",
                            "Name a run that `anneal list` shows.");
    const auto status = statusOf(folder);
    const auto lock = FileLock::tryLock(folder.lock());
    if (!lock || isActive(status))
        return invalidInput("The run " + folder.id() + " is " + statusName(status) +
                                " and cannot be deleted.",
                            "Stop it first: `anneal stop " + folder.id() + "`.");
    fs::remove_all(folder.path(), error);
    if (error)
        return fileError("delete", folder.path(), error.value());
    return folder.id() + " was deleted.";
}

} // namespace anneal
