#pragma once
#include "core/base/cancel.h"
#include "core/protocol/events.h"
#include "core/run/child_process.h"
#include "core/runfolder/run_folder.h"
#include "core/schema/run_config.h"

#include <functional>
#include <memory>

namespace anneal {

/// What a job works on: the model of a run with one of its checkpoints, or a model alone.
struct JobTarget {
    RunConfig config;
    std::string model;               ///< path
    std::optional<fs::path> adapter; ///< checkpoint folder; none: the base alone
};

/// `target` is what RUN or MODEL means on the command line. `checkpoint`: best, last, a step, or none for the
/// base.
Result<JobTarget> resolveJobTarget(const std::string& target, const std::string& checkpoint,
                                   const fs::path& runs);

/// The fields of an engine job that every kind shares; the caller adds its own.
Json jobJson(const std::string& kind, const JobTarget& target);

/// One `anneal-engine --job` process: a JSON object in, protocol JSONL out.
class EngineJob {
public:
    static Result<EngineJob> start(const Json& job);
    EngineJob(EngineJob&&) noexcept;
    ~EngineJob();

    using Progress = std::function<void(const PhaseEvent&)>;
    using Token = std::function<void(const std::string&)>;
    /// Reads until the next result or error of the engine. `cancel` kills it.
    Result<Json> nextResult(const Progress& progress, const Token& token, const CancelToken& cancel);
    /// A line for a chat.
    Status send(const Json& line);

private:
    struct Files;
    EngineJob();
    std::optional<std::string> readLine(const CancelToken& cancel);
    Error endedEarly();

    std::unique_ptr<Files> files_;
    std::optional<ChildProcess> process_;
    std::string buffer_;
};

/// Starts, waits and returns the result.
Result<Json> runEngineJob(const Json& job, const EngineJob::Progress& progress, const CancelToken& cancel);

} // namespace anneal
