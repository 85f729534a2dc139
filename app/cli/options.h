#pragma once
#include "core/base/files.h"

#include <optional>
#include <string>
#include <vector>

namespace anneal::cli {

/// What the user wrote, one struct a group of commands.

struct ConfigOptions {
    std::string config;
    std::vector<std::string> overrides; ///< --set
    bool json = false;
};

struct RunOptions : ConfigOptions {
    std::string runsFolder;
    std::optional<std::string> name;
    bool detach = false, dryRun = false;
};

struct InspectOptions : ConfigOptions {
    std::int64_t first = 0, rows = 5;
};

/// Commands about a run.
struct TargetOptions {
    std::string run, runsFolder;
    std::vector<std::string> overrides; ///< resume, evaluate
    bool json = false;
    bool follow = false; ///< logs
    bool yes = false;    ///< delete
    bool attach = false; ///< resume
};

/// Commands that start an engine job.
struct JobOptions : TargetOptions {
    std::string checkpoint = "best";
    std::string format = "peft", output; ///< export
    std::string data;                    ///< evaluate
    std::vector<std::string> prompts;    ///< generate
    std::int64_t maxNewTokens = 256, seed = 42;
    double temperature = 0, topP = 1;
};

/// The runs folder an option names, else the usual one.
fs::path chosenRunsFolder(const std::string& option);

} // namespace anneal::cli
