#include "ui/models/row_model.h"

#include "ui/client/text.h"
#include "ui/models/number_text.h"

#include <algorithm>

namespace anneal {

namespace {

QString placeText(const std::string& file, std::int64_t line) {
    return toQt(file).section('/', -1) + ":" + QString::number(line);
}

QString cellText(const InspectedRow& row, std::int64_t number, int column) {
    switch (column) {
    case RowModel::Number: return text::count(number);
    case RowModel::Source: return placeText(row.source.file, row.source.line);
    case RowModel::Tokens: return text::count(static_cast<std::int64_t>(row.input_ids.size()));
    case RowModel::Supervised: return text::count(row.supervised());
    case RowModel::Truncated: return row.truncated_tokens > 0 ? text::count(row.truncated_tokens) : QString();
    default: return row.learnedText();
    }
}

} // namespace

std::int64_t InspectedRow::supervised() const {
    return std::count_if(labels.begin(), labels.end(), [](std::int64_t label) { return label >= 0; });
}

QString InspectedRow::learnedText() const {
    constexpr std::size_t enough = 300;
    if (tokens.size() != labels.size() || tokens.empty())
        return toQt(std::string_view(text).substr(0, enough)).simplified();
    std::string learned;
    for (std::size_t i = 0; i < tokens.size() && learned.size() < enough; ++i)
        if (labels[i] >= 0)
            learned += tokens[i];
    return toQt(learned).simplified();
}

void RowModel::setRows(std::int64_t first, std::vector<InspectedRow> rows) {
    beginResetModel();
    first_ = first;
    rows_ = std::move(rows);
    endResetModel();
}

const InspectedRow* RowModel::row(int index) const {
    return index >= 0 && index < static_cast<int>(rows_.size()) ? &rows_[index] : nullptr;
}

int RowModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RowModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RowModel::data(const QModelIndex& index, int role) const {
    const auto* row = this->row(index.row());
    if (!row)
        return {};
    if (role == Qt::DisplayRole)
        return cellText(*row, first_ + index.row() + 1, index.column());
    if (role == Qt::ToolTipRole && index.column() == Source)
        return toQt(row->source.file);
    if (role == Qt::TextAlignmentRole && index.column() != Source && index.column() != Text)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant RowModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const titles[] = {"Row", "Source", "Tokens", "Learned", "Cut", "Answer"};
    if (orientation != Qt::Horizontal || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return QString(titles[section]);
    if (role == Qt::TextAlignmentRole)
        return QVariant(section == Source || section == Text ? Qt::AlignLeft | Qt::AlignVCenter
                                                             : Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

void RejectedModel::setRows(std::vector<RejectedRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

int RejectedModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RejectedModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RejectedModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const auto& row = rows_[index.row()];
    if (role == Qt::DisplayRole)
        return index.column() == Source ? placeText(row.file, row.line) : toQt(row.reason);
    if (role == Qt::ToolTipRole)
        return index.column() == Source ? toQt(row.file) : toQt(row.reason);
    return {};
}

QVariant RejectedModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Source ? "Place" : "Why it is left out";
}

} // namespace anneal
