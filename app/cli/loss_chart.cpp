#include "app/cli/loss_chart.h"

#include "app/cli/report.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace anneal::cli {

namespace {

constexpr std::array<const char*, 9> blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr int axisWidth = 9;
constexpr int eighths = 8;

struct Scale {
    double low = 0, high = 1;
    /// Height in eighths of a row; the smallest value still shows.
    int height(double value, int rows) const {
        const double share = high > low ? (value - low) / (high - low) : 0.5;
        return 1 + static_cast<int>(std::lround(share * (rows * eighths - 1)));
    }
};

Scale scaleOf(const std::vector<std::optional<double>>& means) {
    Scale scale{INFINITY, -INFINITY};
    for (const auto& mean : means)
        if (mean && std::isfinite(*mean)) {
            scale.low = std::min(scale.low, *mean);
            scale.high = std::max(scale.high, *mean);
        }
    return scale;
}

std::string axisLabel(const std::string& text) {
    const auto width = columnsOf(text);
    return std::string(width < axisWidth - 1 ? axisWidth - 1 - width : 0, ' ') + text + " ";
}

const char* cell(const std::optional<double>& mean, const Scale& scale, int row, int rows) {
    if (!mean)
        return blocks[0];
    const int fromBottom = rows - 1 - row;
    if (!std::isfinite(*mean))
        return fromBottom == 0 ? "!" : blocks[0];
    return blocks[static_cast<std::size_t>(
        std::clamp(scale.height(*mean, rows) - fromBottom * eighths, 0, eighths))];
}

} // namespace

std::vector<std::optional<double>> LossChart::columnMeans(std::size_t columns) const {
    const auto first = points_.front().first, span = points_.back().first - first + 1;
    std::vector<double> sums(columns, 0), counts(columns, 0);
    for (const auto& [step, loss] : points_) {
        const auto column =
            static_cast<std::size_t>((step - first) * static_cast<std::int64_t>(columns) / span);
        sums[std::min(column, columns - 1)] += loss;
        counts[std::min(column, columns - 1)] += 1;
    }
    std::vector<std::optional<double>> means(columns);
    for (std::size_t i = 0; i < columns; ++i)
        if (counts[i] > 0)
            means[i] = sums[i] / counts[i];
        else if (i > 0) // fewer steps than columns: a step is as wide as its share
            means[i] = means[i - 1];
    return means;
}

std::string LossChart::text(int columns, int rows) const {
    const int width = columns - axisWidth, height = rows - 1;
    if (points_.empty() || width < 4 || height < 2)
        return {};
    const auto means = columnMeans(static_cast<std::size_t>(width));
    const auto scale = scaleOf(means);
    std::string text;
    for (int row = 0; row < height; ++row) {
        text += axisLabel(row == 0 ? lossText(scale.high) : row == height - 1 ? lossText(scale.low) : "");
        for (const auto& mean : means)
            text += cell(mean, scale, row, height);
        text += '\n';
    }
    const auto first = "step " + formatCount(points_.front().first), last = formatCount(points_.back().first);
    const auto gap =
        static_cast<std::size_t>(width) > first.size() + last.size() ? width - first.size() - last.size() : 1;
    return text + axisLabel("") + first + std::string(gap, ' ') + last + "\n";
}

} // namespace anneal::cli
