#pragma once
#include "ui/charts/chart_table_model.h"
#include "ui/charts/curve_plot.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

namespace anneal {

/// A titled plot with its latest numbers, a menu of what it can do, and a table of the same numbers. Redraws
/// when its content changed and it can be seen, at most once in the preferred interval.
class Chart : public QWidget {
    Q_OBJECT

public:
    explicit Chart(const QString& title, QWidget* parent = nullptr);

    void setContent(ChartContent content);
    /// What stands right of the title: the latest values.
    void setCaption(const QString& text);
    void setPreferences(const ChartPreferences& preferences);
    /// Puts a control into the head, before the menu.
    void addHeadWidget(QWidget* widget);
    void setTableShown(bool shown);
    bool tableShown() const { return stack_->currentIndex() == 1; }
    QString markdown();

    CurvePlot& plot() { return *plot_; }
    const CurvePlot& plot() const { return *plot_; }
    const QString& title() const { return title_; }
    QMenu* menu() { return menu_; }

    /// Zooms of one are zooms of all.
    static void link(const QList<Chart*>& charts);

protected:
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void buildMenu();
    QWidget* makeHeader();
    void schedule();
    void redrawNow();
    void refreshTable();
    void saveImage();

    QString title_;
    CurvePlot* plot_;
    QTableView* table_;
    ChartTableModel* numbers_;
    QStackedWidget* stack_;
    QLabel* caption_;
    QMenu* menu_;
    QHBoxLayout* head_;
    QTimer timer_;
    QElapsedTimer sinceRedraw_;
    int interval_ = 1000;
    bool dirty_ = false;
};

} // namespace anneal
