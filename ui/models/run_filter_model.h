#pragma once
#include "core/protocol/state.h"

#include <QSortFilterProxyModel>

#include <set>

namespace anneal {

/// The runs whose name, model or tags contain the filter's words and whose status is wanted.
class RunFilterModel : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunFilterModel(QObject* parent = nullptr);

    void setWords(const QString& words);
    /// Empty: every status.
    void setStatuses(std::set<RunStatus> statuses);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList words_;
    std::set<RunStatus> statuses_;
};

} // namespace anneal
