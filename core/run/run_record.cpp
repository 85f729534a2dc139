#include "core/run/run_record.h"

#include "core/base/text.h"
#include "core/plan/plan.h"
#include "core/run/machine_report.h"
#include "core/run/price.h"

namespace anneal {

namespace {

std::string chosenType(const RunConfig& config, const LocalMachine& machine) {
    if (config.model.dtype != "auto")
        return config.model.dtype;
    return machine.amx || !machine.gpus.empty() ? "bfloat16" : "float32";
}

std::int64_t chosenThreads(const RunConfig& config, const LocalMachine& machine) {
    return parseInteger(config.hardware.threads).value_or(machine.cores);
}

/// A YAML block of one flow value a line: JSON is YAML.
std::string resolvedYaml(const Json& resolved) {
    std::string text = "# How the settings above are carried out; written when the run starts.\nresolved:\n";
    for (const auto& [key, value] : resolved.items())
        text += "  " + key + ": " + dumpJson(value) + "\n";
    return text;
}

} // namespace

Json resolvedAtStart(const RunConfig& config) {
    const auto machine = localMachine();
    Json resolved{{"program_version", ANNEAL_VERSION},
                  {"git_commit", ANNEAL_GIT_COMMIT},
                  {"machine", machine.host + ": " + machine.cpu},
                  {"threads", chosenThreads(config, machine)},
                  {"dtype", chosenType(config, machine)}};
    if (const auto rate = catalogueRate(config))
        resolved["hourly_rate"] = *rate;
    return resolved;
}

Status writeRunConfig(const RunFolder& folder, const RunConfig& config, const Json& resolved) {
    const auto text = writeConfig(config) + (resolved.empty() ? std::string() : resolvedYaml(resolved));
    return writeFileAtomic(folder.config(), text);
}

std::optional<Error> firstError(const Problems& problems) {
    for (const auto& problem : problems)
        if (problem.severity == Severity::Error)
            return invalidInput(problem.text, problem.fix);
    return std::nullopt;
}

Result<LoadedConfig> readRunConfig(const RunFolder& folder) {
    ANNEAL_TRY(auto loaded, loadConfig(folder.config()));
    if (auto error = firstError(loaded.problems))
        return *std::move(error);
    return loaded;
}

} // namespace anneal
