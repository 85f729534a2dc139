#include "core/run/notification.h"

#include "core/base/system.h"
#include "core/run/child_process.h"
#include "core/run/webhook.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>

namespace anneal {

namespace {

constexpr double commandSeconds = 60;

void complain(const Error& error) { std::fprintf(stderr, "%s\n", error.text().c_str()); }

/// Also with their usual names in the environment, so that a script needs no JSON.
std::map<std::string, std::string> summaryEnvironment(const RunSummary& summary) {
    return {{"ANNEAL_RUN_ID", summary.id},
            {"ANNEAL_RUN_FOLDER", summary.folder},
            {"ANNEAL_RUN_STATUS", statusName(summary.status)},
            {"ANNEAL_RUN_REASON", summary.reason},
            {"ANNEAL_RUN_SUMMARY", dumpJson(toJson(summary))}};
}

Status runCommand(const std::string& command, const RunSummary& summary) {
    ProcessSpec spec;
    ANNEAL_TRY(spec.arguments, splitCommand(command));
    spec.environment = summaryEnvironment(summary);
    spec.pipeInput = false;
    ANNEAL_TRY(auto child, ChildProcess::start(spec));
    for (const double start = monotonicSeconds(); child.running();) {
        if (monotonicSeconds() - start > commandSeconds)
            return failure("The command '" + command + "' did not end within a minute and was killed.");
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    const auto end = *child.poll();
    if (end.exitCode != 0 || end.signal != 0)
        return failure("The command '" + command + "' ended with " + end.text() + ".");
    return {};
}

} // namespace

void notifyEnd(const NotifySettings& settings, const RunSummary& summary) {
    if (std::ranges::find(settings.on, statusName(summary.status)) == settings.on.end())
        return;
    if (settings.command)
        if (const auto done = runCommand(*settings.command, summary); !done)
            complain(done.error());
    if (settings.webhook)
        if (const auto done = postJson(*settings.webhook, toJson(summary)); !done)
            complain(done.error());
}

void runOnExit(const OnExitSettings& settings, const RunSummary& summary,
               const std::function<bool()>& abandoned) {
    if (!settings.command)
        return;
    for (const double end = monotonicSeconds() + settings.delay_minutes * 60; monotonicSeconds() < end;) {
        if (abandoned())
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    if (const auto done = runCommand(*settings.command, summary); !done)
        complain(done.error());
}

} // namespace anneal
