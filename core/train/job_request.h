#pragma once
#include "core/protocol/events.h"
#include "core/protocol/record.h"
#include "core/schema/config_io.h"

#include <optional>
#include <string>
#include <vector>

namespace anneal {

/// A job file: work on a model that is no run. `config` is the nested object of configToJson().
struct JobRequest {
    std::string job; ///< evaluate | generate | chat | export
    Json config = Json::object();
    std::optional<std::string> model;   ///< wins over config.model.path
    std::optional<std::string> adapter; ///< checkpoint or PEFT folder; null: the base alone
    std::optional<std::string> data;    ///< evaluate: the file
    std::vector<std::string> prompts;   ///< generate
    std::int64_t max_new_tokens = 256;
    double temperature = 0;
    double top_p = 1;
    std::int64_t seed = 42;
    std::string format = "peft";       ///< export
    std::optional<std::string> output; ///< export: the folder
    static constexpr auto fields() {
        using T = JobRequest;
        return std::tuple{field("job", &T::job),
                          field("config", &T::config),
                          field("model", &T::model),
                          field("adapter", &T::adapter),
                          field("data", &T::data),
                          field("prompts", &T::prompts),
                          field("max_new_tokens", &T::max_new_tokens),
                          field("temperature", &T::temperature),
                          field("top_p", &T::top_p),
                          field("seed", &T::seed),
                          field("format", &T::format),
                          field("output", &T::output)};
    }
};

Result<JobRequest> readJobRequest(const fs::path& path);
/// The job's configuration with its model path applied.
Result<RunConfig> jobConfig(const JobRequest& request);

/// What a job says: protocol JSONL on standard output, one object a line.
class JobOutput {
public:
    void phase(const PhaseEvent& phase); ///< {"type": "phase", "name", "done", "total", "unit"}
    void token(const std::string& text); ///< {"type": "token", "text"}: a piece of an answer, chat only
    void result(const Json& result);     ///< {"type": "result", "result": {...}}
    void error(const Error& error);      ///< {"type": "error", "message", "fix", "kind"}

private:
    void line(const Json& json);
};

} // namespace anneal
