#pragma once
#include "core/schema/field_table.h"

#include <map>
#include <string>

namespace anneal {

/// A configuration with where its values came from.
struct LoadedConfig {
    RunConfig config;
    Problems problems;                ///< of reading: syntax, unknown keys, wrong types
    std::map<std::string, int> lines; ///< dotted key -> 1-based line in the file
    std::string file;                 ///< empty: from text
    /// The block `resolved:` of a run.yaml, which says how a run was carried out; no setting.
    Json resolved = Json::object();
};

/// Reads YAML text; never fails as a whole: what cannot be read is a problem with its line.
LoadedConfig parseConfig(std::string_view yaml, std::string file = {});
/// Reads a file; relative paths inside become absolute, against the file's folder.
Result<LoadedConfig> loadConfig(const fs::path& path);
/// Applies one `--set key=value`; the value is YAML; `data.train.0.path` reaches into lists.
void applyOverride(LoadedConfig& loaded, std::string_view assignment);
/// Makes the relative paths of the configuration absolute against `folder`.
void resolvePaths(RunConfig& config, const fs::path& folder);
/// Whether `name` looks like "organisation/model" of the hub rather than like a path.
bool isHubName(std::string_view name);

/// The whole configuration as YAML. `onlyChanged` leaves out what equals the default.
std::string writeConfig(const RunConfig& config, bool onlyChanged = false);
/// One setting as `key=value` for --set.
std::string overrideText(const Field& field, const RunConfig& config);
/// Markdown table of all settings for the manual.
std::string configMarkdown();

/// Nested JSON object with the keys of the YAML file, for serve and the forms.
Json configToJson(const RunConfig& config);
/// Reads what configToJson wrote; problems for unknown keys and wrong types.
LoadedConfig configFromJson(const Json& json);

/// Checks values and their relations without touching files beyond existence; collects all problems.
/// Lines come from `loaded.lines`. Includes loaded.problems.
Problems validate(const LoadedConfig& loaded);

} // namespace anneal
