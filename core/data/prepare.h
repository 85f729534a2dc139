#pragma once
#include "core/base/cancel.h"
#include "core/data/chat_template.h"
#include "core/data/token_store.h"
#include "core/data/tokenizer.h"
#include "core/schema/run_config.h"

#include <functional>
#include <string>

namespace anneal {

/// Where preparing stands; total is 0 while unknown.
struct PrepareProgress {
    std::string phase; ///< "reading", "tokenizing", "writing"
    std::int64_t done = 0, total = 0;
    std::string unit; ///< "rows" or "bytes"
};
using PrepareCallback = std::function<void(const PrepareProgress&)>;

/// Builds the token stores of `config` under cacheFolder()/tokens/<fingerprint>, or opens them when they are
/// there. Concurrent callers are serialised by a file lock. Errors: empty dataset, every label masked, bad
/// template, ...
Result<PreparedData> prepareData(const RunConfig& config, const ModelSource& model,
                                 const PrepareCallback& progress, const CancelToken& cancel);

/// The stores in a folder that prepareData() made.
Result<PreparedData> openPreparedData(const fs::path& folder);

/// One row as it will be trained, before packing.
struct InspectedRow {
    std::string file;
    std::int64_t line = 0; ///< 1-based line or record in the file
    std::string text;      ///< rendered
    std::vector<std::int32_t> input_ids;
    std::vector<std::int32_t> labels; ///< id or -100, not shifted
    std::int64_t truncated_tokens = 0;
};

struct RejectedRow {
    std::string file;
    std::int64_t line = 0;
    std::string reason;
};

/// The summary of `inspect` over all training sources (rows counted to the end, `rejected` bounded to 1,000
/// entries with a count).
struct InspectSummary {
    std::int64_t rows = 0, tokens = 0, supervised_tokens = 0, truncated_rows = 0, rejected_rows = 0;
    std::vector<RejectedRow> rejected;
};

struct Inspection {
    std::vector<InspectedRow> rows;
    InspectSummary summary;
};

/// Rows [first, first + count) in file order, unpacked, with the summary of everything.
Result<Inspection> inspectData(const RunConfig& config, const ModelSource& model, std::int64_t first,
                               std::int64_t count, const CancelToken& cancel);
/// inspect's --json object.
Json toJson(const Inspection& inspection);

/// What a file holds: {"format", "reason", "columns", "rows" (estimated for big files)}.
Result<Json> detectData(const std::string& path);

/// The prompt of `generate` and of samples: a user turn through the model's chat template with generation
/// prompt (and the configured system prompt), or the text itself when there is no template.
Result<std::vector<std::int32_t>> encodePrompt(const Tokenizer& tokenizer, const ChatTemplate* chatTemplate,
                                               const DataSettings& data, const std::string& prompt);

/// A row of evaluation with generation metrics: prompt ids, and the reference answer's text.
struct EvaluationRow {
    std::vector<std::int32_t> prompt_ids;
    std::string prompt, reference;
};
/// Prompts and reference answers of a data file in file order, at most `maxRows`.
Result<std::vector<EvaluationRow>> readEvaluationRows(const RunConfig& config, const ModelSource& model,
                                                      const std::string& path, std::int64_t maxRows);

} // namespace anneal
