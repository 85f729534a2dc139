#include "app/cli/commands.h"
#include "app/cli/progress_view.h"
#include "app/cli/report.h"
#include "core/base/text.h"
#include "core/run/engine_job.h"
#include "core/run/run_record.h"

#include <csignal>
#include <iostream>

namespace anneal::cli {

namespace {

/// Phases of a job on standard error: a rewritten line, and one with its time when a phase ends.
class JobProgress {
public:
    JobProgress() : terminal_(stderr) {}
    ~JobProgress() { terminal_.rewriteLine(""); }

    void show(const PhaseEvent& phase) { terminal_.rewriteLine(phaseLine(phase)); }
    void clear() { terminal_.rewriteLine(""); }

private:
    Terminal terminal_;
};

/// A configuration of a target with `--set` applied.
Status applyOverrides(JobTarget& target, const std::vector<std::string>& overrides) {
    if (overrides.empty())
        return {};
    LoadedConfig loaded;
    loaded.config = target.config;
    for (const auto& assignment : overrides)
        applyOverride(loaded, assignment);
    if (auto error = firstError(loaded.problems))
        return *std::move(error);
    resolvePaths(loaded.config, fs::current_path());
    target.config = loaded.config;
    return {};
}

Result<JobTarget> targetOf(const JobOptions& options) {
    ANNEAL_TRY(auto target,
               resolveJobTarget(options.run, options.checkpoint, chosenRunsFolder(options.runsFolder)));
    ANNEAL_CHECK(applyOverrides(target, options.overrides));
    return target;
}

Json generationJob(const std::string& kind, const JobTarget& target, const JobOptions& options) {
    Json job = jobJson(kind, target);
    job["max_new_tokens"] = options.maxNewTokens;
    job["temperature"] = options.temperature;
    job["top_p"] = options.topP;
    job["seed"] = options.seed;
    return job;
}

Result<Json> runJob(const Json& job) {
    JobProgress progress;
    const CancelToken cancel; // Ctrl-C reaches the engine by itself: it is in our process group
    return runEngineJob(
        job, [&](const PhaseEvent& phase) { progress.show(phase); }, cancel);
}

/// Builds a job, runs it and prints its result.
int finishJob(const JobOptions& options, const Result<Json>& result, std::string (*text)(const Json&)) {
    if (!result)
        return fail(result.error());
    if (options.json)
        printJson(*result);
    else
        std::fputs(text(*result).c_str(), stdout);
    return 0;
}

std::string metricText(const Json& value) {
    const auto number = numberFromJson(value);
    return number ? lossText(number) : dumpJson(value);
}

std::string evaluationText(const Json& result) {
    TextTable table;
    table.add({"tokens", formatCount(result.value("tokens", std::int64_t{0}))});
    table.add({"loss", metricText(result.value("loss", Json()))});
    table.add({"perplexity", metricText(result.value("perplexity", Json()))});
    const Json metrics = result.value("metrics", Json::object());
    for (const auto& [name, value] : metrics.items())
        if (name != "loss" && name != "perplexity")
            table.add({name, metricText(value)});
    return table.text();
}

std::string answerText(const Json& answer) { return answer.value("text", std::string()) + "\n"; }

std::string generationText(const Json& result) {
    if (!result.contains("answers"))
        return answerText(result);
    std::string text;
    for (const auto& answer : result["answers"])
        text += answerText(answer);
    return text;
}

std::string exportText(const Json& result) {
    std::string text = "Exported " + result.value("format", std::string()) + " to " +
                       result.value("path", std::string()) + " (" + formatBytes(result.value("bytes", 0.0)) +
                       "):\n";
    for (const auto& file : result.value("files", Json::array()))
        text += "  " + (file.is_string() ? file.get<std::string>() : dumpJson(file)) + "\n";
    return text;
}

/// The talk so far, and the lines of the user.
class Chat {
public:
    Chat(EngineJob& engine, bool json) : engine_(engine), json_(json) {}

    int run() {
        for (std::string line; prompt() && std::getline(std::cin, line);) {
            if (trim(line).empty())
                continue;
            messages_.push_back({{"role", "user"}, {"content", line}});
            if (const auto answered = answer(); !answered)
                return fail(answered.error());
        }
        return 0;
    }

private:
    static bool prompt() {
        std::fputs("> ", stderr);
        return true;
    }

    Status answer() {
        ANNEAL_CHECK(engine_.send({{"messages", messages_}}));
        ANNEAL_TRY(const auto result, [&] {
            JobProgress progress;
            const auto token = [&](const std::string& text) {
                if (!json_) {
                    std::fputs(text.c_str(), stdout);
                    std::fflush(stdout);
                }
            };
            return engine_.nextResult([&](const PhaseEvent& phase) { progress.show(phase); }, token,
                                      CancelToken());
        }());
        if (json_)
            std::printf("%s\n", dumpJson(result).c_str());
        else
            std::fputs("\n", stdout);
        std::fflush(stdout);
        messages_.push_back({{"role", "assistant"}, {"content", result.value("text", std::string())}});
        return {};
    }

    EngineJob& engine_;
    bool json_;
    Json messages_ = Json::array();
};

} // namespace

int exportCommand(const JobOptions& options) {
    const auto target = targetOf(options);
    if (!target)
        return fail(target.error());
    Json job = jobJson("export", *target);
    job["format"] = options.format;
    job["output"] = fs::absolute(options.output).lexically_normal().string();
    return finishJob(options, runJob(job), exportText);
}

int evaluateCommand(const JobOptions& options) {
    const auto target = targetOf(options);
    if (!target)
        return fail(target.error());
    std::error_code ignored;
    if (!fs::exists(options.data, ignored))
        return fail(invalidInput("The data file " + options.data + " does not exist.", "Check --data."));
    Json job = jobJson("evaluate", *target);
    job["data"] = fs::absolute(options.data).lexically_normal().string();
    return finishJob(options, runJob(job), evaluationText);
}

int generateCommand(const JobOptions& options) {
    const auto target = targetOf(options);
    if (!target)
        return fail(target.error());
    Json job = generationJob("generate", *target, options);
    job["prompts"] = options.prompts;
    return finishJob(options, runJob(job), generationText);
}

int chatCommand(const JobOptions& options) {
    const auto target = targetOf(options);
    if (!target)
        return fail(target.error());
    std::signal(SIGPIPE, SIG_IGN);
    auto engine = EngineJob::start(generationJob("chat", *target, options));
    return engine ? Chat(*engine, options.json).run() : fail(engine.error());
}

} // namespace anneal::cli
