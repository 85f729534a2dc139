#include "app/cli/commands.h"
#include "app/cli/plan_text.h"
#include "app/cli/report.h"
#include "app/cli/run_watch.h"
#include "core/run/config_service.h"
#include "core/run/exit_code.h"

namespace anneal::cli {

namespace {

/// Validation and plan, without starting anything.
int dryRun(const RunConfig& config, const Problems& problems, bool json) {
    const auto planned = planWithData(config);
    if (!planned)
        return fail(planned.error());
    if (json)
        printJson({{"problems", toJson(problems)["problems"]}, {"plan", toJson(*planned)}});
    else
        std::fputs(planText(*planned).c_str(), stdout);
    return 0;
}

int printDetached(const LaunchedRun& run, bool json) {
    if (json)
        printJson({{"id", run.folder.id()}, {"folder", run.folder.path().string()}});
    else
        std::printf("%s\n", run.folder.id().c_str());
    return 0;
}

} // namespace

int runCommand(const RunOptions& options) {
    const auto loaded = loadWithOverrides(options.config, options.overrides);
    if (!loaded)
        return fail(loaded.error());
    const auto problems = validate(*loaded);
    printProblems(problems, stderr);
    if (hasError(problems))
        return exitCode(ErrorKind::InvalidInput);
    if (options.dryRun)
        return dryRun(loaded->config, problems, options.json);
    const auto folder = createRun(loaded->config, chosenRunsFolder(options.runsFolder), options.name);
    if (!folder)
        return fail(folder.error());
    const auto launched = launchRun(*folder);
    if (!launched)
        return fail(launched.error());
    if (options.detach)
        return printDetached(*launched, options.json);
    std::fprintf(stderr, "run %s in %s\n", folder->id().c_str(), folder->path().c_str());
    return followToTheEnd(*launched, options.json);
}

} // namespace anneal::cli
