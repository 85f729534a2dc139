#include "core/data/sampler.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

namespace anneal {

namespace {

/// Draws that are not an epoch's have streams of their own, far from any epoch number.
constexpr std::uint64_t shareStream = std::uint64_t{1} << 63;

/// A number in [0, bound) from 64 random bits (Lemire's multiply-shift; the bias is below bound / 2^64).
std::uint64_t bounded(std::uint64_t bits, std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<__uint128_t>(bits) * bound) >> 64);
}

/// Fisher-Yates whose draws are a pure function of (key, stream).
void shuffleBy(std::uint64_t key, std::uint64_t stream, std::vector<std::uint32_t>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[bounded(randomBits(key, i, stream), i)]);
}

std::vector<double> sourceWeights(const TokenStore& store, const DataSettings& data) {
    std::vector<double> weights;
    for (const auto& source : store.sources())
        weights.push_back(source.weight);
    if (data.train.size() == weights.size())
        std::ranges::transform(data.train, weights.begin(), &DataSource::weight);
    return weights;
}

/// The rows of every weight, in their order.
std::map<double, std::vector<std::uint32_t>> rowsByWeight(const TokenStore& store, const DataSettings& data) {
    const auto weights = sourceWeights(store, data);
    std::map<double, std::vector<std::uint32_t>> rows;
    std::size_t source = 0;
    for (std::uint32_t row = 0; row < store.rows(); ++row) {
        while (source < weights.size() && row >= store.sources()[source].end)
            ++source;
        rows[source < weights.size() ? weights[source] : 1.0].push_back(row);
    }
    return rows;
}

/// Rows packed, in the order of their first rows, so that without shuffling the order of the files shows
/// through.
std::vector<Sequence> packed(const TokenStore& store, const std::vector<std::uint32_t>& rows,
                             std::uint32_t maxLength) {
    std::vector<std::uint32_t> lengths;
    for (const auto row : rows)
        lengths.push_back(static_cast<std::uint32_t>(store.row(row).size()));
    const auto longest = lengths.empty() ? 0 : *std::ranges::max_element(lengths);
    auto sequences = packBestFit(lengths, std::max(maxLength, longest));
    for (auto& sequence : sequences)
        for (auto& row : sequence)
            row = rows[row];
    std::ranges::sort(sequences, {}, [](const Sequence& s) { return *std::ranges::min_element(s); });
    return sequences;
}

} // namespace

struct Sampler::Cache {
    std::mutex mutex;
    std::int64_t epoch = -1;
    std::shared_ptr<const std::vector<std::uint32_t>> order;
};

Sampler::Sampler(const TokenStore& store, const DataSettings& data, const TrainingSettings& training)
    : sequencesPerStep_(
          std::max<std::int64_t>(1, training.per_device_batch_size * training.gradient_accumulation_steps)),
      microBatch_(std::max<std::int64_t>(1, training.per_device_batch_size)), maxSteps_(training.max_steps),
      epochs_(training.epochs), key_(randomKey(static_cast<std::uint64_t>(training.seed), RandomUse::Order)),
      shuffle_(data.shuffle), cache_(std::make_shared<Cache>()) {
    for (const auto& [weight, rows] : rowsByWeight(store, data))
        addGroup(store, rows, weight, data);
    for (const auto& group : groups_)
        sequencesPerEpoch_ += std::llround(group.weight * (group.end - group.begin));
    if (sequencesPerEpoch_ == 0 &&
        !groups_.empty()) { // tiny data with small weights: an epoch is one sequence
        groups_.front().weight = 1.0 / (groups_.front().end - groups_.front().begin);
        sequencesPerEpoch_ = 1;
    }
}

void Sampler::addGroup(const TokenStore& store, const std::vector<std::uint32_t>& rows, double weight,
                       const DataSettings& data) {
    const auto begin = static_cast<std::uint32_t>(lengths_.size());
    const auto append = [&](std::span<const std::uint32_t> sequence) {
        std::uint64_t tokens = 0;
        for (const auto row : sequence)
            tokens += store.row(row).size();
        rows_.insert(rows_.end(), sequence.begin(), sequence.end());
        starts_.push_back(rows_.size());
        lengths_.push_back(tokens);
    };
    if (data.packing)
        for (const auto& sequence : packed(store, rows, static_cast<std::uint32_t>(data.max_length)))
            append(sequence);
    else
        for (const auto& row : rows)
            append({&row, 1});
    groups_.push_back({begin, static_cast<std::uint32_t>(lengths_.size()), weight});
}

std::int64_t Sampler::sequencesPerEpoch() const { return sequencesPerEpoch_; }

std::int64_t Sampler::stepsPerEpoch() const {
    return (sequencesPerEpoch_ + sequencesPerStep_ - 1) / sequencesPerStep_;
}

std::int64_t Sampler::totalSteps() const {
    if (maxSteps_)
        return *maxSteps_;
    // 0.1 * 30 is a little above 3 in binary: a rounding error must not add a step.
    return static_cast<std::int64_t>(std::ceil(epochs_ * static_cast<double>(stepsPerEpoch()) - 1e-9));
}

std::vector<std::uint32_t> Sampler::drawOrder(std::int64_t epoch) const {
    std::vector<std::uint32_t> order;
    order.reserve(static_cast<std::size_t>(sequencesPerEpoch_));
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        std::vector<std::uint32_t> all(groups_[g].end - groups_[g].begin);
        std::iota(all.begin(), all.end(), groups_[g].begin);
        const auto wanted =
            static_cast<std::uint64_t>(std::llround(groups_[g].weight * static_cast<double>(all.size())));
        for (std::uint64_t copy = 0; copy < wanted / all.size(); ++copy)
            order.insert(order.end(), all.begin(), all.end());
        // The fractional rest is a window into a fixed permutation that moves on with each epoch.
        const auto share = wanted % all.size();
        if (share > 0)
            shuffleBy(key_, shareStream + g, all);
        for (std::uint64_t i = 0; i < share; ++i)
            order.push_back(all[(static_cast<std::uint64_t>(epoch) * share + i) % all.size()]);
    }
    if (shuffle_)
        shuffleBy(key_, static_cast<std::uint64_t>(epoch), order);
    return order;
}

std::shared_ptr<const std::vector<std::uint32_t>> Sampler::order(std::int64_t epoch) const {
    const std::lock_guard lock(cache_->mutex);
    if (cache_->epoch != epoch) {
        cache_->order = std::make_shared<const std::vector<std::uint32_t>>(drawOrder(epoch));
        cache_->epoch = epoch;
    }
    return cache_->order;
}

Sequence Sampler::sequence(std::uint32_t index) const {
    return {rows_.begin() + static_cast<std::ptrdiff_t>(starts_[index]),
            rows_.begin() + static_cast<std::ptrdiff_t>(starts_[index + 1])};
}

Sampler::StepBatch Sampler::batch(std::int64_t step) const {
    StepBatch batch{step, 0, {}, 0};
    if (sequencesPerEpoch_ == 0 || step < 1)
        return batch;
    const auto epoch = (step - 1) / stepsPerEpoch();
    const auto begin = (step - 1) % stepsPerEpoch() * sequencesPerStep_;
    const auto end = std::min(begin + sequencesPerStep_, sequencesPerEpoch_);
    const auto drawn = order(epoch);
    for (auto i = begin; i < end; ++i)
        batch.sequences.push_back(sequence((*drawn)[static_cast<std::size_t>(i)]));
    batch.epoch =
        static_cast<double>(epoch) + static_cast<double>(end) / static_cast<double>(sequencesPerEpoch_);
    batch.firstSequence = static_cast<std::uint64_t>(epoch * sequencesPerEpoch_ + begin);
    return batch;
}

std::vector<Sequence> Sampler::longestBatch() const {
    std::vector<std::uint32_t> indices(lengths_.size());
    std::iota(indices.begin(), indices.end(), 0u);
    const auto count = std::min<std::size_t>(indices.size(), static_cast<std::size_t>(microBatch_));
    const auto middle = indices.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::partial_sort(indices, middle, [&](std::uint32_t a, std::uint32_t b) {
        return lengths_[a] != lengths_[b] ? lengths_[a] > lengths_[b] : a < b;
    });
    std::vector<Sequence> longest;
    std::for_each(indices.begin(), middle, [&](std::uint32_t index) { longest.push_back(sequence(index)); });
    return longest;
}

} // namespace anneal
