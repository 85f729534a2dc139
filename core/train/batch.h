#pragma once
#include "core/data/sampler.h"
#include "core/model/decoder.h"

#include <span>

namespace anneal {

/// Lays sequences of the store out as one TokenBatch. `firstSequence` is the global number of sequences[0];
/// document d of sequence s gets the key (s << 16) + d, which never depends on the micro-batch it came in.
TokenBatch makeBatch(const TokenStore& store, std::span<const Sequence> sequences,
                     std::uint64_t firstSequence);

/// Supervised tokens after the label shift, the denominator of the loss.
std::int64_t supervisedTokens(const TokenStore& store, std::span<const Sequence> sequences);
std::int64_t countTokens(const TokenStore& store, std::span<const Sequence> sequences);

} // namespace anneal
