#include "ui/models/checkpoint_model.h"

#include "ui/models/number_text.h"

#include <algorithm>

namespace anneal {

void CheckpointModel::setItems(std::vector<CheckpointItem> items) {
    std::sort(items.begin(), items.end(),
              [](const CheckpointItem& a, const CheckpointItem& b) { return a.step > b.step; });
    beginResetModel();
    items_ = std::move(items);
    endResetModel();
}

int CheckpointModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(items_.size());
}

int CheckpointModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

static QString cellText(const CheckpointItem& item, int column, bool latest) {
    switch (column) {
    case CheckpointModel::Step: return text::count(item.step);
    case CheckpointModel::ValidationLoss: return text::loss(item.validation_loss);
    case CheckpointModel::Size: return text::bytes(static_cast<double>(item.bytes));
    default: return item.best && latest ? "best, last" : item.best ? "best" : latest ? "last" : "";
    }
}

QVariant CheckpointModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    if (role == Qt::DisplayRole)
        return cellText(items_[index.row()], index.column(), index.row() == 0);
    if (role == Qt::TextAlignmentRole && index.column() != Note)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant CheckpointModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const titles[] = {"Step", "Validation loss", "Size", ""};
    if (orientation != Qt::Horizontal || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return QString(titles[section]);
    if (role == Qt::TextAlignmentRole)
        return QVariant(section == Note ? Qt::AlignLeft | Qt::AlignVCenter
                                        : Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

} // namespace anneal
