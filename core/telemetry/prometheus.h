#pragma once
#include "core/protocol/state.h"

#include <string>

namespace anneal {

/// The metrics of one run in Prometheus' text format 0.0.4: prefix anneal_, base units, one label `run` (and
/// host and gpu where it matters). What is unknown is left out. `telemetry` may be null.
std::string prometheusText(const RunSummary& run, const TelemetrySample* telemetry);

/// The content type of the answer.
constexpr const char* prometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

} // namespace anneal
