#include "core/run/checkpoint_choice.h"
#include "core/run/config_service.h"
#include "core/run/engine_job.h"
#include "core/run/launcher.h"
#include "core/run/machine_report.h"
#include "core/run/run_control.h"
#include "core/run/run_record.h"
#include "core/run/server.h"
#include "core/runfolder/registry.h"

#include <algorithm>

namespace anneal {

namespace {

/// A control request waits this long for the run's answer; later it says that the run will.
constexpr double controlSeconds = 2;
constexpr std::int64_t maxRowsAtOnce = 1000;
constexpr std::size_t countsKept = 32;

Result<std::string> textParam(const Request& request, const char* name) {
    const auto found = request.params.find(name);
    if (found == request.params.end() || !found->is_string())
        return invalidInput("The request " + request.method + " needs the text '" + name + "'.");
    return found->get<std::string>();
}

std::string optionalText(const Request& request, const char* name, std::string fallback) {
    const auto found = request.params.find(name);
    return found != request.params.end() && found->is_string() ? found->get<std::string>()
                                                               : std::move(fallback);
}

std::int64_t integerParam(const Request& request, const char* name, std::int64_t fallback) {
    std::int64_t value = fallback;
    const auto found = request.params.find(name);
    return found != request.params.end() && fromJson(*found, value) ? value : fallback;
}

/// The configuration of a request, as read; its relative paths stay so unless `folder` says what they start
/// from.
Result<LoadedConfig> configParam(const Request& request) {
    const auto found = request.params.find("config");
    if (found == request.params.end() || !found->is_object())
        return invalidInput("The request " + request.method + " needs the object 'config'.");
    auto loaded = configFromJson(*found);
    if (const auto folder = optionalText(request, "folder", ""); !folder.empty())
        resolvePaths(loaded.config, folder);
    return loaded;
}

/// The same, for work that cannot begin with errors.
Result<RunConfig> soundConfigParam(const Request& request) {
    ANNEAL_TRY(auto loaded, configParam(request));
    if (auto error = firstError(loaded.problems))
        return *std::move(error);
    resolvePaths(loaded.config, fs::current_path());
    return loaded.config;
}

Result<Json> outcome(const Result<std::string>& result) {
    if (!result)
        return result.error();
    return Json{{"outcome", *result}};
}

} // namespace

Result<RunFolder> Server::runOf(const Request& request) const {
    ANNEAL_TRY(const auto run, textParam(request, "run"));
    return resolveRun(run, runs_);
}

Result<Json> Server::machine(const Request&) { return machineJson(runs_); }

Result<Json> Server::validateRequest(const Request& request) {
    ANNEAL_TRY(const auto loaded, configParam(request));
    return toJson(validate(loaded));
}

Result<Json> Server::detect(const Request& request) {
    ANNEAL_TRY(const auto path, textParam(request, "path"));
    return detectPath(path);
}

Result<Json> Server::model(const Request& request) {
    ANNEAL_TRY(const auto path, textParam(request, "path"));
    return modelJson(path);
}

Result<Json> Server::inspect(const Request& request) {
    ANNEAL_TRY(const auto config, soundConfigParam(request));
    const auto first = std::max<std::int64_t>(0, integerParam(request, "first", 0));
    const auto count = std::clamp<std::int64_t>(integerParam(request, "count", 20), 0, maxRowsAtOnce);
    return inspectConfig(config, first, count, true, cancel_);
}

/// Counting reads all rows, so its result is kept: most edits of a form do not touch the data.
std::optional<DataCounts> Server::countsOf(const RunConfig& config) {
    auto key = configToJson(config)["data"];
    key["model"] = config.model.path;
    for (const auto& source : config.data.train)
        key["changed"].push_back(modifiedSeconds(source.path));
    const auto name = dumpJson(key);
    {
        const std::lock_guard lock(countsMutex_);
        if (const auto found = counts_.find(name); found != counts_.end())
            return found->second;
    }
    const auto model = openModel(config.model.path);
    if (!model || config.data.train.empty())
        return std::nullopt;
    const auto inspection = inspectData(config, **model, 0, 0, cancel_);
    if (!inspection || inspection->summary.rows == 0)
        return std::nullopt;
    const std::lock_guard lock(countsMutex_);
    if (counts_.size() >= countsKept)
        counts_.clear();
    return counts_[name] = countData(inspection->summary, config);
}

Result<Json> Server::plan(const Request& request) {
    ANNEAL_TRY(const auto config, soundConfigParam(request));
    ANNEAL_TRY(const auto plan, planConfig(config, countsOf(config)));
    return toJson(plan);
}

Result<Json> Server::loadConfigFile(const Request& request) {
    ANNEAL_TRY(const auto path, textParam(request, "path"));
    ANNEAL_TRY(const auto loaded, loadConfig(path));
    return Json{{"config", configToJson(loaded.config)}, {"problems", toJson(validate(loaded))["problems"]}};
}

Result<Json> Server::saveConfig(const Request& request) {
    ANNEAL_TRY(const auto path, textParam(request, "path"));
    ANNEAL_TRY(const auto loaded, configParam(request));
    ANNEAL_CHECK(writeFileAtomic(path, writeConfig(loaded.config, true), 0644));
    return Json::object();
}

Result<Json> Server::yaml(const Request& request) {
    ANNEAL_TRY(const auto loaded, configParam(request));
    const auto name = sanitizedRunName(loaded.config.name);
    return Json{{"yaml", writeConfig(loaded.config, true)},
                {"command",
                 runCommandLine(optionalText(request, "path", (name.empty() ? "config" : name) + ".yaml"))}};
}

Result<Json> Server::presets(const Request&) { return presetsJson(); }

Result<Json> Server::list(const Request&) { return runsJson(runs_); }

Result<Json> Server::show(const Request& request) {
    ANNEAL_TRY(const auto folder, runOf(request));
    ANNEAL_TRY(const auto summary, summarizeRun(folder));
    ANNEAL_TRY(const auto loaded, loadConfig(folder.config()));
    Json json = toJson(summary);
    json["config"] = configToJson(loaded.config);
    json["resolved"] = loaded.resolved;
    return json;
}

Result<Json> Server::start(const Request& request) {
    ANNEAL_TRY(auto loaded, configParam(request));
    resolvePaths(loaded.config, fs::current_path());
    if (auto error = firstError(validate(loaded)))
        return *std::move(error);
    const auto name = optionalText(request, "name", "");
    ANNEAL_TRY(const auto folder,
               createRun(loaded.config, runs_, name.empty() ? std::nullopt : std::optional(name)));
    ANNEAL_TRY(const auto launched, launchRun(folder));
    return Json{{"id", launched.folder.id()}, {"folder", launched.folder.path().string()}};
}

Result<Json> Server::stop(const Request& request) {
    ANNEAL_TRY(const auto folder, runOf(request));
    return outcome(stopRun(folder, controlSeconds));
}

Result<Json> Server::pause(const Request& request) {
    ANNEAL_TRY(const auto folder, runOf(request));
    return outcome(pauseRun(folder, controlSeconds));
}

Result<Json> Server::resume(const Request& request) {
    ANNEAL_TRY(const auto folder, runOf(request));
    return outcome(resumeRun(folder, controlSeconds));
}

Result<Json> Server::save(const Request& request) {
    ANNEAL_TRY(const auto folder, runOf(request));
    return outcome(saveRun(folder, controlSeconds));
}

Result<Json> Server::deleteRequest(const Request& request) {
    ANNEAL_TRY(const auto folder, runOf(request));
    return outcome(deleteRun(folder));
}

Result<Json> Server::checkpoints(const Request& request) {
    ANNEAL_TRY(const auto folder, runOf(request));
    return checkpointsJson(folder);
}

Result<Json> Server::runJob(const Request& request, const Json& job) {
    const auto progress = [&](const PhaseEvent& phase) {
        Json params = toJson(phase);
        params["request"] = request.id;
        output_.notify(0, "progress", std::move(params));
    };
    return runEngineJob(job, progress, cancel_);
}

Result<Json> Server::exportRequest(const Request& request) {
    ANNEAL_TRY(const auto run, textParam(request, "run"));
    ANNEAL_TRY(const auto output, textParam(request, "output"));
    ANNEAL_TRY(const auto target, resolveJobTarget(run, optionalText(request, "checkpoint", "best"), runs_));
    Json job = jobJson("export", target);
    job["format"] = optionalText(request, "format", "peft");
    job["output"] = fs::absolute(output).string();
    return runJob(request, job);
}

Result<Json> Server::generate(const Request& request) {
    ANNEAL_TRY(const auto prompt, textParam(request, "prompt"));
    const auto name = optionalText(request, request.params.contains("run") ? "run" : "model", "");
    ANNEAL_TRY(const auto target, resolveJobTarget(name, optionalText(request, "checkpoint", "best"), runs_));
    Json job = jobJson("generate", target);
    job["prompts"] = {prompt};
    for (const char* option : {"max_new_tokens", "temperature", "top_p", "seed"})
        if (request.params.contains(option))
            job[option] = request.params[option];
    return runJob(request, job);
}

Result<Json> Server::follow(const Request& request) {
    ANNEAL_TRY(const auto folder, runOf(request));
    return subscribe(request, std::make_unique<RunSubscription>(folder), {folder.path(), folder.logs()});
}

Result<Json> Server::followRuns(const Request& request) {
    return subscribe(request, std::make_unique<RunsSubscription>(runs_), {runs_});
}

Result<Json> Server::unfollow(const Request& request) {
    subscriptions_.remove(integerParam(request, "subscription", 0));
    return Json::object();
}

} // namespace anneal
