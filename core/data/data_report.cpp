#include "core/data/data_report.h"

#include "core/base/text.h"

#include <algorithm>

namespace anneal {

namespace {

constexpr std::size_t maxRejectedListed = 1000;

std::string place(const RejectedRow& row) {
    return row.file + ", line " + std::to_string(row.line) + ": " + row.reason;
}

std::string percent(std::int64_t part, std::int64_t whole) {
    return std::to_string((100 * part + whole / 2) / whole) + " %";
}

} // namespace

std::size_t DataReport::add(const std::string& file, std::int64_t line, const RowOutcome& outcome) {
    if (outcome.rejection) {
        const auto cause = static_cast<std::size_t>(outcome.rejection->cause);
        const RejectedRow row{file, line, outcome.rejection->reason};
        if (causes_[cause]++ == 0)
            firsts_[cause] = row;
        ++summary_.rejected_rows;
        if (summary_.rejected.size() < maxRejectedListed)
            summary_.rejected.push_back(row);
    }
    for (const auto& row : outcome.rows) {
        ++summary_.rows;
        summary_.tokens += static_cast<std::int64_t>(row.tokens.size());
        summary_.supervised_tokens += std::ranges::count_if(row.tokens, isSupervised);
        summary_.truncated_rows += row.truncatedTokens > 0;
        truncatedTokens_ += row.truncatedTokens;
        lostBytes_ += row.lostBytes;
    }
    return outcome.rows.size();
}

Status DataReport::checkNotEmpty(const DataSettings& data) const {
    if (summary_.rows > 0)
        return {};
    const auto all = summary_.rejected_rows;
    const auto tooLong = count(RejectCause::TooLong), masked = count(RejectCause::NothingLearned);
    const auto shareOf = [&](std::int64_t part) {
        return std::to_string(part) + " of " + std::to_string(all) + " rows, " + percent(part, all);
    };
    if (all == 0)
        return invalidInput("The training data has no rows.", "Give files with at least one row.");
    if (tooLong >= masked && tooLong >= count(RejectCause::Broken))
        return invalidInput("No row has a token to learn: max_length = " + std::to_string(data.max_length) +
                                " cuts off every answer (" + shareOf(tooLong) + "). " +
                                place(firsts_[static_cast<std::size_t>(RejectCause::TooLong)]),
                            "Raise data.max_length.");
    if (masked >= count(RejectCause::Broken))
        return invalidInput("No row has a token to learn: every label is masked (" + shareOf(masked) + "). " +
                                place(firsts_[static_cast<std::size_t>(RejectCause::NothingLearned)]),
                            "Check the format of the rows, data.template and data.loss_on (now " +
                                data.loss_on + ").");
    return invalidInput("No row can be used (" + shareOf(count(RejectCause::Broken)) + " are broken). " +
                            place(firsts_[static_cast<std::size_t>(RejectCause::Broken)]),
                        "Correct the rows, or set the format of the source.");
}

Json toJson(const InspectSummary& summary) {
    Json rejected = Json::array();
    for (const auto& row : summary.rejected)
        rejected.push_back({{"file", row.file}, {"line", row.line}, {"reason", row.reason}});
    return {{"rows", summary.rows},
            {"tokens", summary.tokens},
            {"supervised_tokens", summary.supervised_tokens},
            {"truncated_rows", summary.truncated_rows},
            {"rejected_rows", summary.rejected_rows},
            {"rejected", std::move(rejected)}};
}

} // namespace anneal
