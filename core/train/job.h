#pragma once
#include "core/train/job_request.h"

namespace anneal {

/// Loss, perplexity and scores over a file: {"tokens", "loss", "perplexity", "metrics", "samples": [...]}.
Result<Json> evaluateJob(const JobRequest& request, JobOutput& output);

/// Answers to the request's prompts: {"prompt", "text", "tokens", "tokens_per_second"}; several: {"answers":
/// [...]}.
Result<Json> generateJob(const JobRequest& request, JobOutput& output);

/// Reads {"messages": [{"role", "content"}, ...]} lines from standard input until its end; answers each by
/// "token" lines and a generate result. A bad line is answered by an error and does not end the talk.
Result<Json> chatJob(const JobRequest& request, JobOutput& output);

} // namespace anneal
