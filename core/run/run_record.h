#pragma once
#include "core/runfolder/run_folder.h"
#include "core/schema/config_io.h"

#include <string>

namespace anneal {

/// run.yaml: the settings, and under `resolved` how they are carried out: program_version, git_commit,
/// machine, threads, dtype, hourly_rate, model_path, and once the data is prepared data_folder and the
/// fingerprints.
Status writeRunConfig(const RunFolder& folder, const RunConfig& config, const Json& resolved);

/// Reads run.yaml; an error when it has errors.
Result<LoadedConfig> readRunConfig(const RunFolder& folder);

/// What is known of `resolved` before the data is prepared.
Json resolvedAtStart(const RunConfig& config);

/// The first error among `problems` as an Error, or nothing.
std::optional<Error> firstError(const Problems& problems);

} // namespace anneal
