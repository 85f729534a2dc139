#include "core/plan/data_counts.h"

#include "core/base/text.h"
#include "core/data/sampler.h"

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

/// How full best-fit packing makes its sequences when rows are much shorter than they are.
constexpr double packedShare = 0.95;

double shareOfValidation(const RunConfig& config) { return parseDouble(config.data.validation).value_or(0); }

} // namespace

DataCounts countData(const PreparedData& data, const RunConfig& config) {
    DataCounts counts;
    counts.basis = "the prepared data";
    const auto& store = data.train;
    std::size_t row = 0;
    double tokens = 0;
    for (const auto& source : store.sources()) {
        double sourceTokens = 0;
        const auto begin = row;
        for (; row < source.end; ++row) {
            const auto length = static_cast<double>(store.row(row).size());
            sourceTokens += length;
            counts.longest_row = std::max(counts.longest_row, length);
        }
        tokens += sourceTokens;
        counts.tokens += source.weight * sourceTokens;
        counts.rows += source.weight * static_cast<double>(source.end - begin);
    }
    const double supervised = static_cast<double>(store.supervisedTokens());
    counts.supervised_tokens = tokens > 0 ? supervised * counts.tokens / tokens : 0;
    counts.sequences = static_cast<double>(Sampler(store, config.data, config.training).sequencesPerEpoch());
    counts.validation_rows = static_cast<double>(data.validation.rows());
    counts.validation_tokens = static_cast<double>(data.validation.tokens());
    return counts;
}

DataCounts countData(const InspectSummary& summary, const RunConfig& config) {
    const double held = shareOfValidation(config), trained = 1 - held;
    const auto maxLength = static_cast<double>(config.data.max_length);
    DataCounts counts;
    counts.basis = "a count of the rows";
    counts.rows = trained * static_cast<double>(summary.rows);
    counts.tokens = trained * static_cast<double>(summary.tokens);
    counts.supervised_tokens = trained * static_cast<double>(summary.supervised_tokens);
    const double packed = std::ceil(counts.tokens / (packedShare * maxLength));
    counts.sequences = config.data.packing ? std::min(counts.rows, packed) : counts.rows;
    counts.longest_row = maxLength;
    counts.validation_rows = held * static_cast<double>(summary.rows);
    counts.validation_tokens = held * static_cast<double>(summary.tokens);
    return counts;
}

DataCounts assumeData(const RunConfig& config, double ranks) {
    DataCounts counts;
    counts.longest_row = static_cast<double>(config.data.max_length);
    if (!config.training.max_steps)
        return counts;
    counts.basis = "full sequences in every step, since the data was not read";
    const auto& training = config.training;
    const auto perStep =
        static_cast<double>(training.per_device_batch_size * training.gradient_accumulation_steps);
    counts.sequences = counts.rows =
        static_cast<double>(*training.max_steps) * perStep * ranks / training.epochs;
    counts.tokens = counts.supervised_tokens = counts.sequences * counts.longest_row;
    return counts;
}

} // namespace anneal
