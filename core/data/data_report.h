#pragma once
#include "core/data/prepare.h"
#include "core/data/row_encoder.h"

#include <array>

namespace anneal {

/// Counts what became of the records of a data set, and says so when nothing is left of it.
class DataReport {
public:
    /// Returns the number of rows that the record gave.
    std::size_t add(const std::string& file, std::int64_t line, const RowOutcome& outcome);

    const InspectSummary& summary() const { return summary_; }
    std::uint64_t lostBytes() const { return lostBytes_; }
    std::int64_t truncatedTokens() const { return truncatedTokens_; }

    /// An error that names the cause when there is not one row to train on.
    Status checkNotEmpty(const DataSettings& data) const;

private:
    std::int64_t count(RejectCause cause) const { return causes_[static_cast<std::size_t>(cause)]; }

    InspectSummary summary_;
    std::array<std::int64_t, 3> causes_{};
    std::array<RejectedRow, 3> firsts_;
    std::int64_t truncatedTokens_ = 0;
    std::uint64_t lostBytes_ = 0;
};

Json toJson(const InspectSummary& summary);

} // namespace anneal
