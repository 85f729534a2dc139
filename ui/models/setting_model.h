#pragma once
#include "core/schema/config_io.h"

#include <QAbstractTableModel>

namespace anneal {

/// A setting's value as a person reads it: "q_proj, v_proj", "on", a dash for null.
QString settingText(const Field& field, const Json& value);

/// All settings of one configuration, for reading; what differs from the default stands out.
class SettingModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Key, Value, Default, ColumnCount };
    static constexpr int ChangedRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setConfig(const RunConfig& config);
    /// Leaves out what equals the default.
    void setOnlyChanged(bool only);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Item {
        const Field* field;
        QString value, standard;
        bool changed;
    };
    void rebuild();

    RunConfig config_;
    bool onlyChanged_ = false;
    std::vector<Item> items_;
};

} // namespace anneal
