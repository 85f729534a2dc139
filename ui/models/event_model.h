#pragma once
#include "core/protocol/events.h"

#include <QAbstractTableModel>

namespace anneal {

/// One sentence that says what an event says.
QString eventSentence(const Event& event);

/// The notable events of a run, newest first.
class EventModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, Step, Type, Text, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// `records` in the order of the file. Only what is new at the end is inserted, when the rest is the
    /// same.
    void setRecords(const std::vector<EventRecord>& records);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<EventRecord> records_; ///< newest last
};

} // namespace anneal
