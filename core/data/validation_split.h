#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace anneal {

/// What decides on which side of a split a row falls.
struct RowKeys {
    std::uint64_t group; ///< rows of one context or prompt
    std::uint64_t row;   ///< rows with the same tokens
};

/// Which rows are held out: about `share` of them, at least one where there are two that differ. A pure
/// function of the keys and the seed. Rows of one group stay together; where groups are too large for that
/// (one context only, one long text) at least equal rows do.
std::vector<bool> chooseValidation(std::span<const RowKeys> rows, double share, std::uint64_t seed);

} // namespace anneal
