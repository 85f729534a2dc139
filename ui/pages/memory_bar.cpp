#include "ui/pages/memory_bar.h"

#include "ui/models/colors.h"
#include "ui/models/number_text.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace anneal {

namespace {

constexpr int barHeight = 12, barGap = 6, swatch = 9;
constexpr double smallShare = 0.03; ///< parts below it are shown together

/// Shades of the accent, from full to faint.
QColor shade(const Colors& colors, std::size_t index, std::size_t count) {
    const double weight =
        count < 2 ? 1 : 1 - 0.75 * static_cast<double>(index) / static_cast<double>(count - 1);
    const auto mix = [&](int from, int to) { return static_cast<int>(to + (from - to) * weight); };
    return {mix(colors.accent.red(), colors.chartGrid.red()),
            mix(colors.accent.green(), colors.chartGrid.green()),
            mix(colors.accent.blue(), colors.chartGrid.blue())};
}

} // namespace

void MemoryBar::setMemory(std::optional<PlanMemory> memory) {
    memory_ = std::move(memory);
    parts_.clear();
    double rest = 0;
    const double total = memory_ ? memory_->per_gpu_bytes.value_or(0) : 0;
    const auto parts = memory_ ? memory_->parts : Json::object();
    for (const auto& [name, value] : parts.items()) {
        const double bytes = numberFromJson(value).value_or(0);
        if (bytes < smallShare * total)
            rest += bytes;
        else
            parts_.push_back({partName(name), bytes});
    }
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part& a, const Part& b) { return a.bytes > b.bytes; });
    if (rest > 0)
        parts_.push_back({"other", rest});
    QString spoken = "Memory";
    for (const auto& part : parts_)
        spoken += ", " + part.name + " " + text::bytes(part.bytes);
    setAccessibleName(spoken);
    updateGeometry();
    update();
}

QSize MemoryBar::sizeHint() const {
    const int lines = static_cast<int>(parts_.size());
    return {200, barHeight + (lines > 0 ? barGap + lines * lineHeight() : 0)};
}

void MemoryBar::paintEvent(QPaintEvent*) {
    const auto& colors = Colors::of(palette());
    QPainter painter(this);
    painter.fillRect(0, 0, width(), barHeight, colors.chartGrid);
    const double needed = std::accumulate(parts_.begin(), parts_.end(), 0.0,
                                          [](double sum, const Part& part) { return sum + part.bytes; });
    const double whole = std::max(needed, memory_ ? memory_->available_bytes.value_or(needed) : 1.0);
    double before = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const auto color = memory_->fits ? shade(colors, i, parts_.size()) : colors.bad;
        const int left = static_cast<int>(width() * before / whole);
        before += parts_[i].bytes;
        painter.fillRect(left, 0, std::max(1, static_cast<int>(width() * before / whole) - left), barHeight,
                         color);
        const int top = barHeight + barGap + static_cast<int>(i) * lineHeight();
        painter.fillRect(0, top + (lineHeight() - swatch) / 2, swatch, swatch, color);
        painter.setPen(colors.muted);
        const QRect line(swatch + 6, top, width() - swatch - 6, lineHeight());
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, parts_[i].name);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, text::bytes(parts_[i].bytes));
    }
}

} // namespace anneal
