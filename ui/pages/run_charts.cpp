#include "ui/pages/run_charts.h"

#include "ui/charts/smoothing.h"
#include "ui/models/number_text.h"

#include <algorithm>

namespace anneal {

namespace {

QVector<double> sinceStart(const QVector<double>& times, double start) {
    QVector<double> seconds(times.size());
    std::transform(times.begin(), times.end(), seconds.begin(), [&](double t) { return t - start; });
    return seconds;
}

Curve stepCurve(const RunHistory& history, const QString& name, CurveStyle style,
                const QVector<double>& values) {
    return {name, style, history.steps().step, sinceStart(history.steps().t, history.startTime()), values};
}

Curve validationCurve(const RunHistory& history) {
    Curve curve{"validation", CurveStyle::Dots, {}, {}, {}};
    for (const auto& [t, seq, event] : history.evaluations()) {
        if (event.step == 0)
            continue; // the base has a line of its own
        curve.step.append(static_cast<double>(event.step));
        curve.seconds.append(t - history.startTime());
        curve.value.append(event.loss);
    }
    return curve;
}

ChartContent single(Curve curve, double maxSteps) {
    ChartContent content;
    content.curves.push_back(std::move(curve));
    content.lastStep = maxSteps;
    return content;
}

} // namespace

ChartContent lossContent(const RunHistory& history, double maxSteps) {
    auto content = single(stepCurve(history, "loss", CurveStyle::Noisy, history.steps().loss), maxSteps);
    content.curves.push_back(validationCurve(history));
    if (const auto* base = history.base()) {
        content.baseline = base->loss;
        content.baselineName = "base";
    }
    if (const auto* best = history.best())
        content.best = content.curves.back().step.indexOf(static_cast<double>(best->step));
    return content;
}

ChartContent learningRateContent(const RunHistory& history, double maxSteps) {
    return single(stepCurve(history, "learning rate", CurveStyle::Line, history.steps().learning_rate),
                  maxSteps);
}

ChartContent gradNormContent(const RunHistory& history, double maxSteps) {
    return single(stepCurve(history, "gradient norm", CurveStyle::Noisy, history.steps().grad_norm),
                  maxSteps);
}

ChartContent speedContent(const RunHistory& history, double maxSteps) {
    return single(stepCurve(history, "tokens/s", CurveStyle::Noisy, history.steps().tokens_per_second),
                  maxSteps);
}

namespace {

std::optional<double> meanOfGpus(const TelemetrySample& sample,
                                 std::optional<double> (*of)(const GpuSample&)) {
    double sum = 0;
    int count = 0;
    for (const auto& gpu : sample.gpus)
        if (const auto value = of(gpu)) {
            sum += *value;
            ++count;
        }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> shareOf(std::optional<double> part, std::optional<double> whole) {
    return part && whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
}

std::optional<double> utilization(const TelemetrySample& sample) {
    return sample.gpus.empty() ? sample.cpu
                               : meanOfGpus(sample, [](const GpuSample& gpu) { return gpu.utilization; });
}

std::optional<double> memoryShare(const TelemetrySample& sample) {
    if (sample.gpus.empty())
        return shareOf(sample.memory_used, sample.memory_total);
    return meanOfGpus(sample,
                      [](const GpuSample& gpu) { return shareOf(gpu.memory_used, gpu.memory_total); });
}

} // namespace

ChartContent loadContent(const std::deque<TelemetrySample>& samples) {
    ChartContent content;
    const bool gpus = !samples.empty() && !samples.back().gpus.empty();
    Curve load{gpus ? "GPU %" : "CPU %", CurveStyle::Line, {}, {}, {}},
        memory{"memory %", CurveStyle::Faint, {}, {}, {}};
    for (const auto& sample : samples) {
        const double second = sample.t - samples.front().t;
        for (auto [curve, share] :
             {std::pair(&load, utilization(sample)), std::pair(&memory, memoryShare(sample))}) {
            if (!share)
                continue;
            curve->step.append(second);
            curve->seconds.append(second);
            curve->value.append(*share * 100);
        }
    }
    content.curves = {std::move(load), std::move(memory)};
    content.highest = 100;
    content.stepName = "Second";
    return content;
}

std::optional<double> smoothedLoss(const RunHistory& history, double weight) {
    const auto values = smoothed(history.steps().loss, weight);
    return values.isEmpty() ? std::nullopt : std::optional(values.last());
}

LossChart::LossChart(QWidget* parent) : Chart("Loss", parent), smoothing_(new QSlider(Qt::Horizontal)) {
    smoothing_->setRange(0, 999);
    smoothing_->setFixedWidth(90);
    smoothing_->setAccessibleName("Smoothing");
    auto* label = new QLabel("Smoothing");
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setBuddy(smoothing_);
    addHeadWidget(label);
    addHeadWidget(smoothing_);
    connect(smoothing_, &QSlider::valueChanged, this, [this](int value) {
        smoothing_->setToolTip(QString::number(value / 1000.0, 'f', 2));
        Q_EMIT smoothingChosen(value / 1000.0);
    });
}

void LossChart::showRun(const RunHistory& history, double maxSteps, double smoothing) {
    const QSignalBlocker blocker(smoothing_);
    smoothing_->setValue(static_cast<int>(smoothing * 1000));
    QStringList parts;
    if (const auto now = smoothedLoss(history, smoothing))
        parts << "training " + text::loss(now);
    if (!history.evaluations().empty() && history.evaluations().back().event.step > 0)
        parts << "validation " + text::loss(history.evaluations().back().event.loss);
    if (const auto* best = history.best())
        parts << QString("best %1 at step %2").arg(text::loss(best->loss), text::count(best->step));
    if (const auto* base = history.base())
        parts << "base " + text::loss(base->loss) + " (dashed)";
    setCaption(parts.join("   "));
    setContent(lossContent(history, maxSteps));
}

} // namespace anneal
