#include "core/train/batch.h"

#include <ATen/ops/empty.h>

namespace anneal {

namespace {

constexpr std::int64_t ignoredLabel = -100;

/// Applies `visit(row tokens)` to every document.
template <class Visit>
void forEachDocument(const TokenStore& store, std::span<const Sequence> sequences, Visit visit) {
    for (std::size_t s = 0; s < sequences.size(); ++s)
        for (std::size_t d = 0; d < sequences[s].size(); ++d)
            visit(s, d, store.row(sequences[s][d]));
}

} // namespace

TokenBatch makeBatch(const TokenStore& store, std::span<const Sequence> sequences,
                     std::uint64_t firstSequence) {
    const std::int64_t total = countTokens(store, sequences);
    TokenBatch batch;
    batch.input_ids = at::empty({total}, at::kLong);
    batch.labels = at::empty({total}, at::kLong);
    batch.positions = at::empty({total}, at::kLong);
    batch.cu_seqlens.push_back(0);
    auto* ids = batch.input_ids.mutable_data_ptr<std::int64_t>();
    auto* labels = batch.labels.mutable_data_ptr<std::int64_t>();
    auto* positions = batch.positions.mutable_data_ptr<std::int64_t>();
    forEachDocument(
        store, sequences, [&](std::size_t s, std::size_t d, std::span<const std::uint32_t> tokens) {
            const std::int64_t begin = batch.cu_seqlens.back();
            for (std::size_t t = 0; t < tokens.size(); ++t) {
                const std::int64_t at = begin + static_cast<std::int64_t>(t);
                const bool trained = t + 1 < tokens.size() && isSupervised(tokens[t + 1]);
                ids[at] = tokenId(tokens[t]);
                labels[at] = trained ? static_cast<std::int64_t>(tokenId(tokens[t + 1])) : ignoredLabel;
                positions[at] = static_cast<std::int64_t>(t);
            }
            batch.cu_seqlens.push_back(begin + static_cast<std::int64_t>(tokens.size()));
            batch.document_keys.push_back(((firstSequence + s) << 16) + d);
        });
    return batch;
}

std::int64_t supervisedTokens(const TokenStore& store, std::span<const Sequence> sequences) {
    std::int64_t count = 0;
    forEachDocument(store, sequences, [&](std::size_t, std::size_t, std::span<const std::uint32_t> tokens) {
        for (std::size_t t = 1; t < tokens.size(); ++t)
            count += isSupervised(tokens[t]);
    });
    return count;
}

std::int64_t countTokens(const TokenStore& store, std::span<const Sequence> sequences) {
    std::int64_t count = 0;
    forEachDocument(store, sequences, [&](std::size_t, std::size_t, std::span<const std::uint32_t> tokens) {
        count += static_cast<std::int64_t>(tokens.size());
    });
    return count;
}

} // namespace anneal
