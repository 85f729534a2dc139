#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "app/cli/run_watch.h"
#include "core/base/system.h"
#include "core/base/text.h"
#include "core/run/config_service.h"
#include "core/run/exit_code.h"
#include "core/run/run_control.h"
#include "core/run/run_record.h"
#include "core/run/subscriptions.h"
#include "core/run/termination.h"
#include "core/runfolder/registry.h"
#include "core/runfolder/run_status.h"

#include <cmath>
#include <ctime>
#include <iostream>
#include <unistd.h>

namespace anneal::cli {

namespace {

/// How long stop, pause and resume wait for the run's answer.
constexpr double answerSeconds = 120;
constexpr std::uint64_t wholeLog = ~std::uint64_t{0};

Result<RunFolder> folderOf(const TargetOptions& options) {
    return resolveRun(options.run, chosenRunsFolder(options.runsFolder));
}

std::string localTime(double seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    char text[32] = "-";
    if (seconds > 0 && ::localtime_r(&time, &parts))
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    return text;
}

std::vector<std::string> listRow(const RunSummary& run) {
    const auto steps = formatCount(run.step) + (run.max_steps ? "/" + formatCount(*run.max_steps) : "");
    return {run.id,
            statusName(run.status),
            steps,
            lossText(run.train_loss),
            lossText(run.validation_loss),
            run.tokens_per_second ? formatCount(std::llround(*run.tokens_per_second)) : "-",
            isActive(run.status) ? timeLeftText(run.seconds_left) : "-",
            localTime(run.created)};
}

int report(const TargetOptions& options, const Result<std::string>& outcome) {
    if (!outcome)
        return fail(outcome.error());
    if (options.json)
        printJson({{"outcome", *outcome}});
    else
        std::printf("%s\n", outcome->c_str());
    return 0;
}

int control(const TargetOptions& options, Result<std::string> (*action)(const RunFolder&, double)) {
    const auto folder = folderOf(options);
    return folder ? report(options, action(*folder, answerSeconds)) : fail(folder.error());
}

/// The run's own configuration with changes, checked.
Result<RunConfig> changedConfig(const RunFolder& folder, const std::vector<std::string>& overrides) {
    ANNEAL_TRY(auto loaded, loadWithOverrides(folder.config(), overrides));
    if (auto error = firstError(validate(loaded)))
        return *std::move(error);
    return std::move(loaded.config);
}

int resumeByStart(const RunFolder& folder, const TargetOptions& options) {
    std::optional<RunConfig> config;
    if (!options.overrides.empty()) {
        auto changed = changedConfig(folder, options.overrides);
        if (!changed)
            return fail(changed.error());
        config = *std::move(changed);
    }
    const auto launched = relaunchRun(folder, config);
    if (!launched)
        return fail(launched.error());
    if (options.attach)
        return followToTheEnd(*launched, options.json);
    return report(options, folder.id() + " goes on in the background; `anneal attach " + folder.id() +
                               "` follows it.");
}

bool confirmed(const RunFolder& folder) {
    std::fprintf(stderr, "Delete the run %s with its checkpoints? [y/N] ", folder.id().c_str());
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "yes";
}

} // namespace

int listCommand(const TargetOptions& options) {
    const auto runs = chosenRunsFolder(options.runsFolder);
    if (options.json) {
        printJson(runsJson(runs));
        return 0;
    }
    TextTable table;
    table.add({"run", "status", "step", "loss", "validation", "tok/s", "left", "created"});
    std::size_t count = 0;
    for (const auto& folder : listRuns(runs))
        if (const auto summary = summarizeRun(folder)) {
            table.add(listRow(*summary));
            ++count;
        }
    if (count == 0)
        std::printf("There are no runs in %s.\n", runs.c_str());
    else
        std::fputs(table.text().c_str(), stdout);
    return 0;
}

int showCommand(const TargetOptions& options) {
    const auto folder = folderOf(options);
    if (!folder)
        return fail(folder.error());
    const auto summary = summarizeRun(*folder);
    if (!summary)
        return fail(summary.error());
    if (options.json)
        printJson(toJson(*summary));
    else
        std::fputs(summaryText(*summary).c_str(), stdout);
    return 0;
}

int logsCommand(const TargetOptions& options) {
    const auto folder = folderOf(options);
    if (!folder)
        return fail(folder.error());
    TerminationSignals::install();
    auto supervisor = LineFollower::fromTail(folder->logs() / "supervisor.log", wholeLog);
    auto engine = LineFollower::fromTail(folder->logs() / "rank-0.log", wholeLog);
    const auto print = [](LineFollower& follower) {
        for (auto lines = follower.poll(); !lines.empty(); lines = follower.poll())
            for (const auto& line : lines)
                std::printf("%s\n", line.c_str());
    };
    FolderWatcher watcher;
    watcher.add(folder->logs());
    RunWatch watch(*folder);
    for (bool last = !options.follow;; last = watch.over() || TerminationSignals::interrupts() > 0) {
        print(supervisor);
        print(engine);
        std::fflush(stdout);
        if (last)
            return 0;
        watcher.wait(std::chrono::milliseconds(500));
    }
}

int stopCommand(const TargetOptions& options) { return control(options, stopRun); }
int pauseCommand(const TargetOptions& options) { return control(options, pauseRun); }

int resumeCommand(const TargetOptions& options) {
    const auto folder = folderOf(options);
    if (!folder)
        return fail(folder.error());
    const auto state = readState(*folder);
    const bool paused = state && effectiveStatus(*state, unixSeconds()) == RunStatus::Paused;
    if (!paused)
        return resumeByStart(*folder, options);
    if (!options.overrides.empty())
        return fail(invalidInput("A paused run goes on with the settings it has.",
                                 "Stop it first, then resume it with --set."));
    return control(options, resumeRun);
}

int deleteCommand(const TargetOptions& options) {
    const auto folder = folderOf(options);
    if (!folder)
        return fail(folder.error());
    if (!options.yes && ::isatty(STDIN_FILENO) == 0)
        return fail(invalidInput("Deleting the run " + folder->id() + " was not confirmed.", "Add --yes."));
    if (!options.yes && !confirmed(*folder))
        return fail(Error{"Nothing was deleted.", "", ErrorKind::Stopped});
    return report(options, deleteRun(*folder));
}

} // namespace anneal::cli
