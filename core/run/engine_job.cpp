#include "core/run/engine_job.h"

#include "core/base/text.h"
#include "core/modelfile/model_source.h"
#include "core/protocol/serve.h"
#include "core/run/checkpoint_choice.h"
#include "core/run/run_record.h"
#include "core/runfolder/registry.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <unistd.h>

namespace anneal {

namespace {

constexpr int pollMilliseconds = 200;
constexpr std::uint64_t stderrTailBytes = 4096;

bool looksLikePath(const std::string& text) {
    return text.find('/') != text.npos || text.ends_with(".gguf") || text == "." || text == "..";
}

Result<JobTarget> targetOfRun(const RunFolder& folder, const std::string& checkpoint) {
    ANNEAL_TRY(auto loaded, readRunConfig(folder));
    JobTarget target{loaded.config, loaded.config.model.path, std::nullopt};
    if (checkpoint != "none") {
        ANNEAL_TRY(const auto chosen, chooseCheckpoint(folder, checkpoint));
        target.adapter = chosen.path;
    }
    return target;
}

JobTarget targetOfModel(const std::string& model) {
    JobTarget target;
    std::error_code ignored;
    const bool isFile = fs::exists(model, ignored);
    target.model = isFile ? fs::absolute(model).lexically_normal().string() : model;
    target.config.model.path = target.model;
    return target;
}

} // namespace

Result<JobTarget> resolveJobTarget(const std::string& target, const std::string& checkpoint,
                                   const fs::path& runs) {
    const auto run = resolveRun(target, runs);
    if (run)
        return targetOfRun(*run, checkpoint);
    const auto model = resolveModelPath(target);
    if (model)
        return targetOfModel(target);
    return looksLikePath(target) ? model.error() : run.error();
}

Json jobJson(const std::string& kind, const JobTarget& target) {
    return {{"job", kind},
            {"config", configToJson(target.config)},
            {"model", target.model},
            {"adapter", target.adapter ? Json(target.adapter->string()) : Json(nullptr)}};
}

/// The job's private folder: its description and the engine's standard error.
struct EngineJob::Files {
    fs::path folder;

    static Result<std::unique_ptr<Files>> create() {
        auto name = (fs::temp_directory_path() / "anneal-job-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            return fileError("create a folder like", name, errno);
        return std::make_unique<Files>(Files{name});
    }
    fs::path job() const { return folder / "job.json"; }
    fs::path log() const { return folder / "stderr.log"; }
};

EngineJob::EngineJob() = default;
EngineJob::EngineJob(EngineJob&&) noexcept = default;

EngineJob::~EngineJob() {
    process_.reset();
    if (files_) {
        std::error_code ignored;
        fs::remove_all(files_->folder, ignored);
    }
}

Result<EngineJob> EngineJob::start(const Json& job) {
    ANNEAL_TRY(const auto engine, enginePath());
    EngineJob result;
    ANNEAL_TRY(result.files_, Files::create());
    ANNEAL_CHECK(writeFileAtomic(result.files_->job(), dumpJson(job)));
    ProcessSpec spec;
    spec.arguments = {engine.string(), "--job", result.files_->job().string()};
    spec.log = result.files_->log();
    spec.pipeOutput = true;
    ANNEAL_TRY(auto process, ChildProcess::start(spec));
    result.process_.emplace(std::move(process));
    return result;
}

Status EngineJob::send(const Json& line) { return process_->writeInput(dumpJson(line) + "\n"); }

std::optional<std::string> EngineJob::readLine(const CancelToken& cancel) {
    for (;;) {
        if (const auto end = buffer_.find('\n'); end != buffer_.npos) {
            auto line = buffer_.substr(0, end);
            buffer_.erase(0, end + 1);
            return line;
        }
        if (cancel.cancelled() || buffer_.size() > maxServeLine)
            return std::nullopt;
        pollfd descriptor{process_->output(), POLLIN, 0};
        if (::poll(&descriptor, 1, pollMilliseconds) <= 0)
            continue;
        std::array<char, 1 << 16> chunk;
        const auto got = ::read(process_->output(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return std::nullopt;
        buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

Error EngineJob::endedEarly() {
    process_->closeInput();
    const auto end = process_->wait();
    auto follower = LineFollower::fromTail(files_->log(), stderrTailBytes);
    const auto lines = follower.poll();
    const auto words = lines.empty() ? std::string() : "; it last said: " + std::string(trim(lines.back()));
    return {"The engine ended with " + end.text() + " and without a result" + words + ".", "",
            end.exitCode == 2 ? ErrorKind::InvalidInput : ErrorKind::Failure};
}

Result<Json> EngineJob::nextResult(const Progress& progress, const Token& token, const CancelToken& cancel) {
    while (const auto line = readLine(cancel)) {
        const auto json = parseJson(*line, "a line of the engine");
        if (!json || !json->is_object())
            continue; // a library wrote to standard output
        const auto type = json->value("type", std::string());
        if (PhaseEvent phase; type == "phase" && progress && fromJson(*json, phase))
            progress(phase);
        else if (type == "token" && token)
            token(json->value("text", std::string()));
        else if (type == "error")
            return errorFromJson(*json);
        else if (type == "result")
            return json->value("result", Json::object());
    }
    if (cancel.cancelled())
        return Error{"Stopped on request.", "", ErrorKind::Stopped};
    return endedEarly();
}

Result<Json> runEngineJob(const Json& job, const EngineJob::Progress& progress, const CancelToken& cancel) {
    ANNEAL_TRY(auto engine, EngineJob::start(job));
    return engine.nextResult(progress, {}, cancel);
}

} // namespace anneal
