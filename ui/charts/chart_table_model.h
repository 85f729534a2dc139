#pragma once
#include "ui/charts/chart_content.h"

#include <QAbstractTableModel>

namespace anneal {

/// The numbers of a chart: one row a step, one column a curve, and one for the smoothed values of a noisy
/// curve.
class ChartTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    /// `smoothed` as CurvePlot::drawnValues(), one a curve.
    void setContent(const ChartContent& content, const std::vector<QVector<double>>& smoothed);
    /// The table as Markdown with at most `maxRows` evenly spread rows, the last among them.
    QString markdown(int maxRows = 200) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Column {
        QString title;
        QVector<double> step, value;
    };
    QString cell(int row, int column) const;

    QString stepName_;
    QVector<double> steps_;
    std::vector<Column> columns_;
};

} // namespace anneal
