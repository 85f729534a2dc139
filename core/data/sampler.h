#pragma once
#include "core/data/token_store.h"
#include "core/schema/run_config.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace anneal {

/// One training sequence: rows of the store that share a packed sequence (one row without packing). Documents
/// inside never see each other.
using Sequence = std::vector<std::uint32_t>;

/// Best-fit decreasing: every row in exactly one sequence of at most `maxLength` tokens; deterministic,
/// stable for equal lengths. O(rows log maxLength). Rows must fit: longer ones were cut or split before.
std::vector<Sequence> packBestFit(const std::vector<std::uint32_t>& lengths, std::uint32_t maxLength);

/// The order of training: which sequences make up optimizer step s is a pure function of store, settings and
/// seed. An epoch visits every sequence `weight` times in a permutation drawn from (seed, epoch); of a
/// fractional weight the share is taken from another part of the source each epoch, so that all rows come
/// equally often. The last step of an epoch may be short and still counts. Sequences are never reordered by
/// the number of ranks or micro-batches.
class Sampler {
public:
    /// Weights are those of `data.train` where it lists the sources of the store, else those kept with the
    /// store.
    Sampler(const TokenStore& store, const DataSettings& data, const TrainingSettings& training);

    std::int64_t sequencesPerEpoch() const;
    std::int64_t stepsPerEpoch() const;
    /// max_steps if set, else ceil(epochs * stepsPerEpoch()).
    std::int64_t totalSteps() const;

    struct StepBatch {
        std::int64_t step; ///< 1-based
        double epoch;      ///< position after this step, 1.5 = half of the second epoch is done
        /// per_device_batch_size * gradient_accumulation_steps sequences (fewer at an epoch's end), in order;
        /// the k-th has the global sequence number firstSequence + k, the key of its random draws.
        std::vector<Sequence> sequences;
        std::uint64_t firstSequence;
    };
    /// Any step in any order: resume asks for the next one and nothing else is needed.
    StepBatch batch(std::int64_t step) const;

    /// The longest sequences, per_device_batch_size of them, for the memory trial before step 1.
    std::vector<Sequence> longestBatch() const;

private:
    /// Sequences [begin, end) that are seen `weight` times an epoch; rows of unequal weight never share a
    /// sequence.
    struct Group {
        std::uint32_t begin, end;
        double weight;
    };

    void addGroup(const TokenStore& store, const std::vector<std::uint32_t>& rows, double weight,
                  const DataSettings& data);
    Sequence sequence(std::uint32_t index) const;
    std::vector<std::uint32_t> drawOrder(std::int64_t epoch) const;
    std::shared_ptr<const std::vector<std::uint32_t>> order(std::int64_t epoch) const;

    std::vector<Group> groups_;
    std::vector<std::uint32_t> rows_;      ///< of all sequences, one after the other
    std::vector<std::uint64_t> starts_{0}; ///< sequence i holds rows_[starts_[i], starts_[i + 1])
    std::vector<std::uint64_t> lengths_;   ///< tokens of each sequence
    std::int64_t sequencesPerStep_ = 1, microBatch_ = 1, sequencesPerEpoch_ = 0;
    std::optional<std::int64_t> maxSteps_;
    double epochs_ = 1;
    std::uint64_t key_ = 0;
    bool shuffle_ = true;
    /// The order of the epoch in use, guarded by a mutex of its own so that const calls are thread-safe.
    struct Cache;
    std::shared_ptr<Cache> cache_;
};

} // namespace anneal
