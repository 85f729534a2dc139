#pragma once
#include "core/data/token_store.h"
#include "core/schema/run_config.h"

#include <cstdint>
#include <vector>

namespace anneal {

/// One training sequence: rows of the store that share a packed sequence (one row without packing). Documents inside
/// never see each other.
using Sequence = std::vector<std::uint32_t>;

/// Best-fit decreasing: every row in exactly one sequence of at most `maxLength` tokens; deterministic, stable for
/// equal lengths. O(rows log rows). TRL's example: lengths 5.. with limit 4 are split before, so rows must fit.
std::vector<Sequence> packBestFit(const std::vector<std::uint32_t>& lengths, std::uint32_t maxLength);

/// The order of training: which sequences make up optimizer step s is a pure function of store, settings and seed.
/// An epoch visits every sequence `weight` times in a permutation drawn from (seed, epoch); the last step of an
/// epoch may be short and still counts. Sequences are never reordered by the number of ranks or micro-batches.
class Sampler {
public:
    Sampler(const TokenStore& store, const DataSettings& data, const TrainingSettings& training);

    std::int64_t sequencesPerEpoch() const;
    std::int64_t stepsPerEpoch() const;
    /// max_steps if set, else ceil(epochs * stepsPerEpoch()).
    std::int64_t totalSteps() const;

    struct StepBatch {
        std::int64_t step;  ///< 1-based
        double epoch;       ///< position after this step, 1.5 = half of the second epoch is done
        /// per_device_batch_size * gradient_accumulation_steps sequences (fewer at an epoch's end), in order; the
        /// k-th has the global sequence number firstSequence + k, the key of its random draws.
        std::vector<Sequence> sequences;
        std::uint64_t firstSequence;
    };
    /// Any step in any order: resume asks for the next one and nothing else is needed.
    StepBatch batch(std::int64_t step) const;

    /// The sequences with the most tokens, for the memory trial before step 1.
    std::vector<Sequence> longestBatch() const;

private:
    const std::vector<std::uint32_t>& order(std::int64_t epoch) const;

    std::vector<Sequence> sequences_;
    std::vector<std::uint32_t> copies_; ///< sequence indices of an epoch before shuffling, weights applied
    std::vector<std::uint64_t> lengths_;
    std::int64_t sequencesPerStep_ = 1, maxSteps_ = 0;
    std::uint64_t key_ = 0;
    bool shuffle_ = true;
    mutable std::int64_t cachedEpoch_ = -1;
    mutable std::vector<std::uint32_t> cachedOrder_;
};

} // namespace anneal
