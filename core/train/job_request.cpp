#include "core/train/job_request.h"

#include "core/protocol/serve.h"

#include <cstdio>

namespace anneal {

Result<JobRequest> readJobRequest(const fs::path& path) {
    ANNEAL_TRY(const auto json, readJsonFile(path, 16u << 20));
    JobRequest request;
    if (!fromJson(json, request))
        return invalidInput("The job file " + path.string() + " has a field of the wrong type.",
                            "Start jobs with anneal evaluate, generate, chat or export.");
    return request;
}

Result<RunConfig> jobConfig(const JobRequest& request) {
    auto loaded = configFromJson(request.config);
    for (const auto& problem : loaded.problems)
        if (problem.severity == Severity::Error)
            return invalidInput(problem.text, problem.fix);
    if (request.model)
        loaded.config.model.path = *request.model;
    return loaded.config;
}

void JobOutput::line(const Json& json) {
    const auto text = dumpJson(json);
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

void JobOutput::phase(const PhaseEvent& phase) {
    Json json = {{"type", "phase"}};
    json.update(toJson(phase));
    line(json);
}

void JobOutput::token(const std::string& text) { line({{"type", "token"}, {"text", text}}); }
void JobOutput::result(const Json& result) { line({{"type", "result"}, {"result", result}}); }

void JobOutput::error(const Error& error) {
    Json json = {{"type", "error"}};
    json.update(toJson(error));
    line(json);
}

} // namespace anneal
