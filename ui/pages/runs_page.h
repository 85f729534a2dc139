#pragma once
#include "ui/models/run_filter_model.h"
#include "ui/pages/page.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/run_preview.h"

#include <QComboBox>
#include <QLineEdit>
#include <QStackedWidget>

namespace anneal {

/// All runs as a table, and the selected one below it.
class RunsPage : public Page {
    Q_OBJECT

public:
    explicit RunsPage(Studio& studio, QWidget* parent = nullptr);

    void setTableView(bool on) override { preview_->chart().setTableShown(on); }
    QString markdown() override;
    QWidget* firstControl() override { return filter_; }
    QString selectedRun() const;
    void select(const QString& run);
    QTableView& table() { return *table_; }

Q_SIGNALS:
    void runOpened(const QString& run);
    void newRunWanted();
    void openConfigurationWanted();
    /// A new run that begins with this run's configuration.
    void copyWanted(const QString& run);

private:
    QLayout* makeHead();
    QWidget* makeBody();
    void makeColumnsMenu(QMenu* menu);
    void showContextMenu(const QPoint& place);
    void onRunsChanged();
    void control(const char* method, const QString& run);
    void deleteRun(const QString& run);

    RunFilterModel* proxy_;
    QTableView* table_;
    RunPreview* preview_;
    QLineEdit* filter_;
    QComboBox* status_;
    QLabel* counts_;
    NoticeLine* notice_;
    QStackedWidget* stack_;
    EmptyState* empty_;
};

} // namespace anneal
