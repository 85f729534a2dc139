#pragma once
#include "ui/models/run_feed.h"
#include "ui/pages/run_charts.h"
#include "ui/pages/studio.h"
#include "ui/pages/throttle.h"

#include <QPlainTextEdit>

namespace anneal {

/// The run selected in the list: its curve, what it changed from the defaults, and the end of its log.
class RunPreview : public QWidget {
    Q_OBJECT

public:
    explicit RunPreview(Studio& studio, QWidget* parent = nullptr);

    void showRun(const QString& run);
    RunFeed& feed() { return feed_; }
    LossChart& chart() { return *chart_; }

private:
    void refreshChart();
    void refreshFacts();
    void refreshLog();

    Studio& studio_;
    RunFeed feed_;
    QTimer settle_;
    QString wanted_;
    LossChart* chart_;
    QLabel *title_, *facts_, *changes_;
    QPlainTextEdit* log_;
    Throttle refresh_;
};

} // namespace anneal
