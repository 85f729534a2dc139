#include "core/data/validation_split.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace anneal {

namespace {

/// Rows with one key, as a range of an order in which they stand together.
struct Run {
    std::size_t begin, size;
};

class GroupSplit {
public:
    GroupSplit(std::span<const RowKeys> rows, std::uint64_t RowKeys::*key, std::uint64_t randomKey)
        : order_(rows.size()), draws_(rows.size()) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            draws_[i] = randomBits(randomKey, rows[i].*key);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::stable_sort(order_, {}, [&](std::size_t row) { return draws_[row]; });
        for (std::size_t i = 0; i < order_.size(); ++i)
            if (i > 0 && draws_[order_[i]] == draws_[order_[i - 1]])
                ++runs_.back().size;
            else
                runs_.push_back({i, 1});
    }

    /// Whole runs in the order of their draws, as many as fit into `target` rows; one that is a little larger
    /// when none fits. Nothing when even that is too large.
    std::vector<bool> choose(std::size_t target) const {
        std::vector<bool> chosen(order_.size(), false);
        std::size_t count = 0;
        for (const auto& run : runs_)
            if (count + run.size <= target)
                count += take(run, chosen);
        const auto smallest = std::ranges::min_element(runs_, {}, &Run::size);
        if (count == 0 && runs_.size() > 1 && smallest->size <= 2 * target)
            take(*smallest, chosen);
        return chosen;
    }

private:
    std::size_t take(const Run& run, std::vector<bool>& chosen) const {
        for (auto i = run.begin; i < run.begin + run.size; ++i)
            chosen[order_[i]] = true;
        return run.size;
    }

    std::vector<std::size_t> order_;
    std::vector<std::uint64_t> draws_;
    std::vector<Run> runs_;
};

} // namespace

std::vector<bool> chooseValidation(std::span<const RowKeys> rows, double share, std::uint64_t seed) {
    if (rows.size() < 2 || share <= 0)
        return std::vector<bool>(rows.size(), false);
    const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(rows.size())));
    const auto target = std::clamp<std::size_t>(wanted, 1, rows.size() - 1);
    const auto key = randomKey(seed, RandomUse::Split);
    auto chosen = GroupSplit(rows, &RowKeys::group, key).choose(target);
    if (std::ranges::find(chosen, true) == chosen.end())
        chosen = GroupSplit(rows, &RowKeys::row, key).choose(target);
    return chosen;
}

} // namespace anneal
