#include "ui/forms/field_grid.h"

#include <algorithm>

namespace anneal {

namespace {
constexpr int cellWidth = 184, columnGap = 18, lineGap = 9;
}

FieldGrid::FieldGrid(QWidget* parent) : QLayout(parent) { setContentsMargins(0, 0, 0, 0); }

FieldGrid::~FieldGrid() {
    for (auto* item : items_)
        delete item;
}

void FieldGrid::addCell(FieldCell* cell) {
    cells_.push_back(cell);
    addWidget(cell);
    addWidget(&cell->note());
}

void FieldGrid::addItem(QLayoutItem* item) { items_.push_back(item); }

QLayoutItem* FieldGrid::itemAt(int index) const {
    return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* FieldGrid::takeAt(int index) {
    if (index < 0 || index >= count())
        return nullptr;
    auto* item = items_[static_cast<std::size_t>(index)];
    items_.erase(items_.begin() + index);
    return item;
}

int FieldGrid::columns(int width) const {
    return std::clamp((width + columnGap) / (cellWidth + columnGap), 1, 5);
}

std::vector<FieldGrid::Line> FieldGrid::lines(int width) const {
    std::vector<Line> result;
    const auto perLine = static_cast<std::size_t>(columns(width));
    for (auto* cell : cells_) {
        if (cell->isHidden())
            continue;
        const bool wide = cell->control().wide();
        if (wide || result.empty() || result.back().wide || result.back().cells.size() >= perLine)
            result.push_back({{}, wide});
        result.back().cells.push_back(cell);
    }
    return result;
}

int FieldGrid::arrange(const QRect& rect, bool place) const {
    const int count = columns(rect.width());
    const int width = (rect.width() - (count - 1) * columnGap) / count;
    int y = rect.top();
    for (const auto& line : lines(rect.width())) {
        int height = 0;
        for (const auto* cell : line.cells)
            height = std::max(height, cell->sizeHint().height());
        for (std::size_t i = 0; place && i < line.cells.size(); ++i)
            line.cells[i]->setGeometry(rect.left() + static_cast<int>(i) * (width + columnGap), y,
                                       line.wide ? rect.width() : width, height);
        y += height;
        for (auto* cell : line.cells) {
            auto& note = cell->note();
            if (note.isHidden())
                continue;
            const int noteHeight = note.heightForWidth(rect.width());
            if (place)
                note.setGeometry(rect.left(), y + 2, rect.width(), noteHeight);
            y += noteHeight + 2;
        }
        y += lineGap;
    }
    return std::max(0, y - rect.top() - lineGap);
}

int FieldGrid::heightForWidth(int width) const { return arrange({0, 0, width, 0}, false); }

QSize FieldGrid::sizeHint() const {
    const int width = 3 * cellWidth + 2 * columnGap;
    return {width, heightForWidth(width)};
}

QSize FieldGrid::minimumSize() const { return {cellWidth, 0}; }

void FieldGrid::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

} // namespace anneal
