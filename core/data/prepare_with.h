#pragma once
#include "core/data/data_tools.h"
#include "core/data/prepare.h"

namespace anneal {

// prepare.h for a tokenizer and template that are open already.

Result<PreparedData> prepareDataWith(const RunConfig& config, const DataTools& tools,
                                     const PrepareCallback& progress, const CancelToken& cancel);
Result<Inspection> inspectDataWith(const RunConfig& config, const DataTools& tools, std::int64_t first,
                                   std::int64_t count, const CancelToken& cancel);
Result<std::vector<EvaluationRow>> readEvaluationRowsWith(const RunConfig& config, const DataTools& tools,
                                                          const std::string& path, std::int64_t maxRows);

} // namespace anneal
