#pragma once
#include "core/schema/run_config.h"

#include <optional>

namespace anneal {

/// Price of an hour of all machines of a run by the catalogue's row for cost.provider; nullopt when none is
/// named, or cost.hourly_rate states it.
std::optional<double> catalogueRate(const RunConfig& config);

} // namespace anneal
