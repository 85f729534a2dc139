#include "core/data/sampler.h"

#include <limits>
#include <set>

namespace anneal {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Row numbers by falling length, equal lengths in their order: a counting sort, as lengths are small
/// numbers.
std::vector<std::uint32_t> byFallingLength(const std::vector<std::uint32_t>& lengths,
                                           std::uint32_t maxLength) {
    std::vector<std::uint32_t> starts(maxLength + 2, 0);
    for (const auto length : lengths)
        ++starts[maxLength - std::min(length, maxLength) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i)
        starts[i] += starts[i - 1];
    std::vector<std::uint32_t> order(lengths.size());
    for (std::uint32_t row = 0; row < lengths.size(); ++row)
        order[starts[maxLength - std::min(lengths[row], maxLength)]++] = row;
    return order;
}

/// The open bins by room left; bins of equal room leave in the order in which they came.
class BinsByRoom {
public:
    explicit BinsByRoom(std::uint32_t maxLength) : first_(maxLength + 1, none), last_(maxLength + 1, none) {}

    /// Takes out the bin with the least room that is at least `length`, or `none`.
    std::uint32_t take(std::uint32_t length) {
        const auto room = rooms_.lower_bound(length);
        if (room == rooms_.end())
            return none;
        const auto bin = first_[*room];
        first_[*room] = next_[bin];
        if (first_[*room] == none)
            rooms_.erase(room);
        return bin;
    }

    void put(std::uint32_t bin, std::uint32_t room) {
        if (next_.size() <= bin)
            next_.resize(bin + 1, none);
        next_[bin] = none;
        if (first_[room] == none) {
            first_[room] = bin;
            rooms_.insert(room);
        } else {
            next_[last_[room]] = bin;
        }
        last_[room] = bin;
    }

private:
    std::vector<std::uint32_t> first_, last_, next_; ///< a linked list of bins for every room
    std::set<std::uint32_t> rooms_;                  ///< that have a bin
};

} // namespace

std::vector<Sequence> packBestFit(const std::vector<std::uint32_t>& lengths, std::uint32_t maxLength) {
    std::vector<Sequence> sequences;
    std::vector<std::uint32_t> room;
    BinsByRoom bins(maxLength);
    for (const auto row : byFallingLength(lengths, maxLength)) {
        const auto length = std::min(lengths[row], maxLength);
        auto bin = bins.take(length);
        if (bin == none) {
            bin = static_cast<std::uint32_t>(sequences.size());
            sequences.emplace_back();
            room.push_back(maxLength);
        }
        sequences[bin].push_back(row);
        room[bin] -= length;
        if (room[bin] > 0)
            bins.put(bin, room[bin]);
    }
    return sequences;
}

} // namespace anneal
