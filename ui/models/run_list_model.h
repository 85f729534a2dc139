#pragma once
#include "core/protocol/state.h"
#include "ui/client/serve_client.h"

#include <QAbstractTableModel>

namespace anneal {

/// All runs, newest first, kept up to date; one changed run repaints one row.
class RunListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Name,
        Status,
        TrainLoss,
        BestValidation,
        BaseValidation,
        LearningRate,
        Step,
        TokensPerSecond,
        TimeLeft,
        Cost,
        Duration,
        Created,
        Model,
        Tags,
        ColumnCount
    };
    /// What columns are sorted by: a number or a text.
    static constexpr int SortRole = Qt::UserRole;
    static constexpr int IdRole = Qt::UserRole + 1;

    explicit RunListModel(QObject* parent = nullptr);

    /// Asks for the list and follows it.
    void follow(ServeClient& client);
    void setRuns(std::vector<RunSummary> runs);
    const std::vector<RunSummary>& runs() const { return runs_; }
    const RunSummary* run(int row) const;
    const RunSummary* find(const QString& id) const;
    /// How many runs a process works on now.
    int activeCount() const;
    /// False until the first list arrived.
    bool loaded() const { return loaded_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    /// After each list that differed in something.
    void changed();

private:
    std::vector<RunSummary> runs_;
    bool loaded_ = false;
    Subscription subscription_;
};

} // namespace anneal
