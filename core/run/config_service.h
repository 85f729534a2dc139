#pragma once
#include "core/base/cancel.h"
#include "core/data/prepare.h"
#include "core/plan/plan.h"
#include "core/schema/config_io.h"

namespace anneal {

// What command line and serve answer about a configuration, before any run.

/// Reads a configuration file and applies `--set` assignments; their paths are relative to the file, too.
Result<LoadedConfig> loadWithOverrides(const fs::path& path, const std::vector<std::string>& overrides);

/// Rows [first, first + count) and the summary of all. `withTokens` adds "tokens", the text of each token, to
/// rows.
Result<Json> inspectConfig(const RunConfig& config, std::int64_t first, std::int64_t count, bool withTokens,
                           const CancelToken& cancel);

/// Memory, time and cost with these counts of the data; nothing: the data is not known.
Result<Plan> planConfig(const RunConfig& config, const std::optional<DataCounts>& counts);

/// Prepares the data, as a run does first.
Result<PreparedData> prepareConfig(const RunConfig& config, const PrepareCallback& progress,
                                   const CancelToken& cancel);

/// serve's `detect`: whether a path is a model or data, and of what kind.
Result<Json> detectPath(const std::string& path);
/// serve's `model`: the shape of a model.
Result<Json> modelJson(const std::string& path);
/// serve's `presets`: the recipes in presetsFolder().
Json presetsJson();

/// The command line that starts this configuration saved as `file`.
std::string runCommandLine(const std::string& file);

} // namespace anneal
