#include "ui/charts/chart_table_model.h"

#include "ui/models/number_text.h"

#include <algorithm>
#include <cmath>

namespace anneal {

void ChartTableModel::setContent(const ChartContent& content, const std::vector<QVector<double>>& smoothed) {
    beginResetModel();
    columns_.clear();
    stepName_ = content.stepName;
    steps_.clear();
    for (std::size_t i = 0; i < content.curves.size(); ++i) {
        const auto& curve = content.curves[i];
        columns_.push_back({curve.name, curve.step, curve.value});
        if (curve.style == CurveStyle::Noisy && i < smoothed.size())
            columns_.push_back({curve.name + " (smoothed)", curve.step, smoothed[i]});
        steps_ += curve.step;
    }
    std::sort(steps_.begin(), steps_.end());
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    endResetModel();
}

QString ChartTableModel::cell(int row, int column) const {
    const double step = steps_[row];
    if (column == 0)
        return text::count(std::llround(step));
    const auto& [title, steps, values] = columns_[column - 1];
    const auto found = std::lower_bound(steps.begin(), steps.end(), step);
    if (found == steps.end() || *found != step)
        return text::dash;
    return text::significant(values[found - steps.begin()], 5);
}

QString ChartTableModel::markdown(int maxRows) const {
    QString text = "| " + stepName_ + " |", rule = "| ---: |";
    for (const auto& column : columns_) {
        text += " " + column.title + " |";
        rule += " ---: |";
    }
    text += "\n" + rule + "\n";
    const auto stride = std::max<qsizetype>(1, (steps_.size() + maxRows - 1) / maxRows);
    for (auto row = (steps_.size() - 1) % stride; row >= 0 && row < steps_.size(); row += stride) {
        text += "|";
        for (int column = 0; column < columnCount(); ++column)
            text += " " + cell(static_cast<int>(row), column) + " |";
        text += "\n";
    }
    return text;
}

int ChartTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size()) + 1;
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const {
    if (role == Qt::DisplayRole && index.isValid())
        return cell(index.row(), index.column());
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= columnCount())
        return {};
    if (role == Qt::DisplayRole)
        return section == 0 ? stepName_ : columns_[section - 1].title;
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

} // namespace anneal
