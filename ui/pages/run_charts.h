#pragma once
#include "core/protocol/state.h"
#include "ui/charts/chart.h"
#include "ui/models/run_history.h"

#include <QSlider>

#include <deque>

namespace anneal {

// What the events of a run look like as charts. `maxSteps` is 0 while it is not known.

ChartContent lossContent(const RunHistory& history, double maxSteps);
ChartContent learningRateContent(const RunHistory& history, double maxSteps);
ChartContent gradNormContent(const RunHistory& history, double maxSteps);
ChartContent speedContent(const RunHistory& history, double maxSteps);

/// The load of the machine over the last minutes, in per cent: its GPUs, or its CPU where there is none.
ChartContent loadContent(const std::deque<TelemetrySample>& samples);

/// The latest training loss as the loss chart draws it; nullopt before the first step.
std::optional<double> smoothedLoss(const RunHistory& history, double weight);

/// The loss chart of a run, with a slider for its smoothing.
class LossChart : public Chart {
    Q_OBJECT

public:
    explicit LossChart(QWidget* parent = nullptr);
    void showRun(const RunHistory& history, double maxSteps, double smoothing);

Q_SIGNALS:
    void smoothingChosen(double weight);

private:
    QSlider* smoothing_;
};

} // namespace anneal
