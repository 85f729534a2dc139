#pragma once
#include "core/runfolder/run_folder.h"
#include "core/schema/run_config.h"

#include <optional>
#include <string>

namespace anneal {

/// A run whose supervisor was started.
struct LaunchedRun {
    RunFolder folder;
    int supervisor = 0; ///< pid
};

/// Makes the run folder with its complete run.yaml; the configuration must be valid and its paths absolute.
/// `id`: the exact name, else one from the configuration's name and the time.
Result<RunFolder> createRun(const RunConfig& config, const fs::path& runs,
                            const std::optional<std::string>& id);

/// Starts `anneal supervise` detached, in its own session. Its output goes to logs/supervisor.log.
Result<LaunchedRun> launchRun(const RunFolder& folder);

/// Whether a supervisor holds the run's lock.
bool hasSupervisor(const RunFolder& folder);

/// Continues a stopped, interrupted or failed run from its last checkpoint; `config`, if given, replaces its
/// settings. A finished run needs a longer configuration. Refuses while somebody still answers for it.
Result<LaunchedRun> relaunchRun(const RunFolder& folder, const std::optional<RunConfig>& config);

} // namespace anneal
