#pragma once
#include "core/data/prepare.h"

namespace anneal {

/// How much there is to train on; all figures of one epoch, weights of the sources applied.
struct DataCounts {
    double rows = 0, tokens = 0, supervised_tokens = 0;
    double sequences = 0;   ///< after packing; without packing as many as rows
    double longest_row = 0; ///< tokens
    double validation_rows = 0, validation_tokens = 0;
    /// Where the figures come from, for the basis of an estimate.
    std::string basis;
};

/// Exact figures of prepared data.
DataCounts countData(const PreparedData& data, const RunConfig& config);
/// From `inspect`'s summary: how rows pack is estimated, weights count as 1.
DataCounts countData(const InspectSummary& summary, const RunConfig& config);
/// When nothing is known but the configuration: max_steps full sequences a step; all zero without max_steps.
DataCounts assumeData(const RunConfig& config, double ranks);

} // namespace anneal
