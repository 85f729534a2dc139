#pragma once
#include "ui/models/run_feed.h"
#include "ui/pages/gauge.h"
#include "ui/pages/live_tabs.h"
#include "ui/pages/page.h"
#include "ui/pages/run_charts.h"
#include "ui/pages/run_head.h"
#include "ui/pages/throttle.h"

#include <QStackedWidget>

namespace anneal {

/// One run, live: what decides at the head, curves, gauges, and its words below.
class LivePage : public Page {
    Q_OBJECT

public:
    explicit LivePage(Studio& studio, QWidget* parent = nullptr);

    void showRun(const QString& run);
    QString run() const { return feed_.run(); }
    RunFeed& feed() { return feed_; }
    RunHead& head() { return *head_; }
    LiveTabs& tabs() { return *tabs_; }
    GaugePanel& gauges() { return *gauges_; }
    LossChart& lossChart() { return *loss_; }
    const std::vector<Chart*>& charts() const { return charts_; }

    void setTableView(bool on) override;
    QString markdown() override;

Q_SIGNALS:
    void newRunWanted();
    void exportWanted(const QString& run, const QString& checkpoint);
    void playgroundWanted(const QString& run, const QString& checkpoint);
    void copyWanted(const QString& run);

private:
    QWidget* makeBody();
    QWidget* makeCharts();
    QWidget* makeGauges();
    void refreshCharts();
    void refreshGauges();
    void chooseRun();

    RunFeed feed_;
    RunHead* head_;
    LossChart* loss_;
    Chart *rate_, *norm_, *speed_, *load_;
    std::vector<Chart*> charts_;
    GaugePanel* gauges_;
    QLabel* host_;
    LiveTabs* tabs_;
    QStackedWidget* stack_;
    Throttle refresh_;
};

} // namespace anneal
