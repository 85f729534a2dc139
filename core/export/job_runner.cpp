#include "core/export/job_runner.h"

#include "core/export/adapter_export.h"
#include "core/train/job.h"

#include <cstdio>
#include <new>

namespace anneal {

namespace {

Result<Json> exportJob(const JobRequest& request) {
    if (request.format != "peft")
        return invalidInput("This version exports the format peft, not '" + request.format + "'.",
                            "Use --format peft.");
    if (!request.adapter || !request.output)
        return invalidInput("An export needs a checkpoint and an output folder.", "Give --output DIR.");
    return exportAdapter(*request.adapter, *request.output);
}

Result<Json> dispatch(const JobRequest& request, JobOutput& output) {
    if (request.job == "evaluate")
        return evaluateJob(request, output);
    if (request.job == "generate")
        return generateJob(request, output);
    if (request.job == "chat")
        return chatJob(request, output);
    if (request.job == "export")
        return exportJob(request);
    return invalidInput("There is no job '" + request.job + "'.", "Use evaluate, generate, chat or export.");
}

/// LibTorch reports by exceptions; they become errors here and nowhere above.
Result<Json> guarded(const fs::path& path, JobOutput& output) {
    ANNEAL_TRY(const auto request, readJobRequest(path));
    try {
        return dispatch(request, output);
    } catch (const std::bad_alloc&) {
        return failure("Memory ran out.", "Lower training.per_device_eval_batch_size or data.max_length.");
    } catch (const std::exception& error) {
        return failure(std::string("The engine failed: ") + error.what());
    }
}

} // namespace

int runJob(const fs::path& path) {
    JobOutput output;
    const auto result = guarded(path, output);
    if (result) {
        output.result(*result);
        return 0;
    }
    output.error(result.error());
    std::fprintf(stderr, "%s\n", result.error().text().c_str());
    return result.error().kind == ErrorKind::InvalidInput ? 2 : 1;
}

} // namespace anneal
