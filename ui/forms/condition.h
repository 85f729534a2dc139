#pragma once
#include "core/schema/field_table.h"

namespace anneal {

/// Whether `condition` of a field ("quantization.type=nf4", "training.scheduler!=constant", "a.b>0") holds;
/// an empty one always does.
bool conditionHolds(std::string_view condition, const RunConfig& config);

} // namespace anneal
