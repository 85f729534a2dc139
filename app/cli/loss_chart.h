#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace anneal::cli {

/// A curve in block characters: the mean of each stretch of steps as a column, scaled between the smallest
/// and the largest of them; an axis with both at its left, steps below. A stretch with a value that is not
/// finite shows '!'.
class LossChart {
public:
    void add(std::int64_t step, double loss) { points_.emplace_back(step, loss); }
    void clear() { points_.clear(); }
    bool empty() const { return points_.empty(); }
    /// `columns` x `rows` characters, the axis included; each row ends with a newline.
    std::string text(int columns, int rows) const;

private:
    std::vector<std::optional<double>> columnMeans(std::size_t columns) const;
    std::vector<std::pair<std::int64_t, double>> points_;
};

} // namespace anneal::cli
