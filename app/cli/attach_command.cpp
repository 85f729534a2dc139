#include "app/cli/attach_view.h"
#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "app/cli/run_watch.h"
#include "core/base/system.h"
#include "core/run/termination.h"
#include "core/runfolder/registry.h"

namespace anneal::cli {

namespace {

constexpr double redrawSeconds = 1;
constexpr std::uint64_t telemetryTailBytes = 64u << 10;

bool detached() { return TerminationSignals::interrupts() + TerminationSignals::gentle() > 0; }

/// On a terminal: everything redrawn once a second.
void watchOnTerminal(RunWatch& watch) {
    AttachView view(stderr);
    JsonlFollower telemetry(LineFollower::fromTail(watch.folder().telemetry(), telemetryTailBytes));
    double drawn = 0;
    for (bool over = false; !over && !detached();) {
        over = watch.over();
        view.take(watch.next());
        for (const auto& json : telemetry.poll())
            if (TelemetrySample sample; fromJson(json, sample))
                view.take(sample);
        if (over || monotonicSeconds() - drawn >= redrawSeconds) {
            view.draw(watch.summary());
            drawn = monotonicSeconds();
        }
    }
}

/// Elsewhere: plain lines, as `run` prints them.
void watchAsLines(RunWatch& watch) {
    ProgressView view(stderr);
    for (bool over = false; !over && !detached();) {
        over = watch.over();
        for (const auto& record : watch.next().events)
            view.show(record);
        view.update(watch.summary());
    }
    view.finish(unixSeconds());
}

} // namespace

int attachCommand(const TargetOptions& options) {
    const auto folder = resolveRun(options.run, chosenRunsFolder(options.runsFolder));
    if (!folder)
        return fail(folder.error());
    TerminationSignals::install();
    RunWatch watch(*folder);
    if (Terminal(stderr).interactive())
        watchOnTerminal(watch);
    else
        watchAsLines(watch);
    const auto summary = watch.summary();
    if (options.json)
        printJson(toJson(summary));
    else
        std::printf("\n%s", summaryText(summary).c_str());
    return isActive(summary.status) ? 0 : watch.exitCode();
}

} // namespace anneal::cli
