#pragma once
#include "core/protocol/record.h"

#include <QAbstractTableModel>

namespace anneal {

/// One item of the answer of `checkpoints`.
struct CheckpointItem {
    std::int64_t step = 0;
    std::int64_t bytes = 0;
    std::optional<double> validation_loss;
    bool best = false;
    static constexpr auto fields() {
        using T = CheckpointItem;
        return std::tuple{field("step", &T::step), field("bytes", &T::bytes),
                          field("validation_loss", &T::validation_loss), field("best", &T::best)};
    }
};

/// The valid checkpoints of a run, latest first.
class CheckpointModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Step, ValidationLoss, Size, Note, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setItems(std::vector<CheckpointItem> items);
    const std::vector<CheckpointItem>& items() const { return items_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<CheckpointItem> items_;
};

} // namespace anneal
