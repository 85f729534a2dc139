#pragma once
#include "core/plan/plan.h"

namespace anneal::cli {

/// Plans with exact counts: prepares the data, which a run would do first and finds done.
Result<Plan> planWithData(const RunConfig& config);

/// Memory, time and cost as tables.
std::string planText(const Plan& plan);

/// Prepares with progress on standard error.
Result<PreparedData> prepareWithProgress(const RunConfig& config);

} // namespace anneal::cli
