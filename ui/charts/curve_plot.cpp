#include "ui/charts/curve_plot.h"

#include "ui/charts/decimation.h"
#include "ui/charts/number_ticker.h"
#include "ui/charts/smoothing.h"
#include "ui/models/colors.h"
#include "ui/models/number_text.h"

#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

/// The end of the axis grows in steps, so that most updates repaint the curve only.
double grownEnd(double last, double wholeRun) {
    if (last <= 0)
        return wholeRun > 0 ? wholeRun : 1;
    const double power = std::pow(10, std::floor(std::log10(last)));
    double end = 10 * power;
    for (const double factor : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
        if (factor * power >= last) {
            end = factor * power;
            break;
        }
    return wholeRun >= last ? std::min(end, wholeRun) : end;
}

QFont smaller(QFont font) {
    font.setPointSizeF(std::max(7.0, font.pointSizeF() - 1));
    return font;
}

} // namespace

CurvePlot::CurvePlot(QWidget* parent) : QCustomPlot(parent) {
    setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    axisRect()->setRangeDrag(Qt::Horizontal);
    axisRect()->setRangeZoom(Qt::Horizontal);
    axisRect()->setupFullAxesBox(false);
    xAxis2->setVisible(false);
    yAxis2->setVisible(false);
    yAxis2->setRange(0, 1);
    marks_ = addGraph(xAxis, yAxis2);
    marks_->setLineStyle(QCPGraph::lsNone);
    bestMark_ = addGraph();
    bestMark_->setLineStyle(QCPGraph::lsNone);
    baseline_ = new QCPItemStraightLine(this);
    baseline_->setVisible(false);
    setMouseTracking(true);
    setXAxis(XAxis::Step);
    setLogarithmic(false);
    connect(xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, &CurvePlot::onUserRange);
    applyColors();
}

const QVector<double>& CurvePlot::xOf(const Curve& curve) const {
    return axis_ == XAxis::Step ? curve.step : curve.seconds;
}

void CurvePlot::setContent(ChartContent content) {
    const bool sameShape =
        std::equal(content.curves.begin(), content.curves.end(), content_.curves.begin(),
                   content_.curves.end(), [](const Curve& a, const Curve& b) { return a.style == b.style; });
    content_ = std::move(content);
    if (!sameShape)
        rebuildGraphs();
    smoothAll();
}

void CurvePlot::smoothAll() {
    smoothed_.clear();
    for (const auto& curve : content_.curves)
        smoothed_.push_back(curve.style == CurveStyle::Noisy ? smoothed(curve.value, preferences_.smoothing)
                                                             : curve.value);
}

void CurvePlot::rebuildGraphs() {
    for (auto& [thin, bold] : graphs_) {
        removeGraph(thin);
        if (bold)
            removeGraph(bold);
    }
    graphs_.clear();
    for (const auto& curve : content_.curves)
        graphs_.push_back({addGraph(), curve.style == CurveStyle::Noisy ? addGraph() : nullptr});
    styleGraphs();
}

void CurvePlot::styleGraphs() {
    const auto& colors = Colors::of(palette());
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
        const auto style = content_.curves[i].style;
        auto& [thin, bold] = graphs_[i];
        const auto color = style == CurveStyle::Noisy   ? colors.chartRaw
                           : style == CurveStyle::Dots  ? colors.chartValidation
                           : style == CurveStyle::Faint ? colors.chartBase
                                                        : colors.chartSmooth;
        thin->setPen(QPen(color, 1));
        thin->setAntialiased(false);
        if (style == CurveStyle::Dots)
            thin->setScatterStyle({QCPScatterStyle::ssDisc, color, color, 6});
        if (bold) {
            bold->setPen(QPen(colors.chartSmooth, 2));
            bold->setAntialiased(preferences_.antialiasing);
        }
    }
    marks_->setScatterStyle({QCPScatterStyle::ssCross, colors.bad, 7});
    bestMark_->setScatterStyle(
        {QCPScatterStyle::ssCircle, QPen(colors.chartValidation, 1.5), Qt::NoBrush, 13});
    baseline_->setPen(QPen(colors.chartBase, 1, Qt::DashLine));
}

void CurvePlot::styleAxis(QCPAxis* axis, const QColor& text, const QColor& line, const QColor& grid) {
    axis->setBasePen(QPen(line));
    axis->setTickPen(QPen(line));
    axis->setSubTicks(false);
    axis->setNumberFormat("g"); // labels are ours, and stay as they are
    axis->setTickLength(0, 3);
    axis->setTickLabelColor(text);
    axis->setTickLabelFont(smaller(font()));
    axis->setLabelColor(text);
    axis->setLabelFont(smaller(font()));
    axis->grid()->setPen(QPen(grid));
    axis->grid()->setZeroLinePen(Qt::NoPen);
}

void CurvePlot::applyColors() {
    const auto& colors = Colors::of(palette());
    setBackground(QBrush(colors.base));
    styleAxis(xAxis, colors.muted, colors.border, colors.chartGrid);
    styleAxis(yAxis, colors.muted, colors.border, colors.chartGrid);
    setNotAntialiasedElements(preferences_.antialiasing ? QCP::aeNone : QCP::aeAll);
    styleGraphs();
}

void CurvePlot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyColors();
        replot(rpQueuedReplot);
    }
}

void CurvePlot::setPreferences(const ChartPreferences& preferences) {
    if (preferences_ == preferences)
        return;
    preferences_ = preferences;
    smoothAll();
    applyColors();
}

void CurvePlot::setXAxis(XAxis axis) {
    axis_ = axis;
    if (axis == XAxis::Step)
        xAxis->setTicker(QSharedPointer<NumberTicker>::create(true));
    else
        xAxis->setTicker(QSharedPointer<TimeTicker>::create());
    zoomed_ = false;
}

void CurvePlot::setLogarithmic(bool on) {
    logarithmic_ = on;
    yAxis->setScaleType(on ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (on)
        yAxis->setTicker(QSharedPointer<LogTicker>::create());
    else
        yAxis->setTicker(QSharedPointer<NumberTicker>::create());
}

void CurvePlot::setIgnoreOutliers(bool on) { ignoreOutliers_ = on; }

void CurvePlot::resetZoom() {
    zoomed_ = false;
    redraw();
}

void CurvePlot::zoomTo(double lower, double upper) {
    zoomed_ = true;
    settingRange_ = true;
    xAxis->setRange(lower, upper);
    settingRange_ = false;
    redraw();
}

void CurvePlot::onUserRange(const QCPRange& range) {
    if (settingRange_)
        return;
    zoomed_ = true;
    fillGraphs();
    fitY();
    Q_EMIT zoomChosen(range.lower, range.upper);
}

void CurvePlot::redraw() {
    ++redraws_;
    settingRange_ = true;
    if (!zoomed_)
        fitX();
    settingRange_ = false;
    fillGraphs();
    fillMarks();
    fitY();
    replot(rpQueuedReplot);
}

void CurvePlot::fillGraphs() {
    const auto range = xAxis->range();
    const int buckets = std::max(100, axisRect()->width());
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
        const auto& curve = content_.curves[i];
        const auto& x = xOf(curve);
        auto& [thin, bold] = graphs_[i];
        thin->setData(x, curve.value, true);
        if (!bold)
            continue;
        const auto points = decimated(x, smoothed_[i], range.lower, range.upper, buckets);
        bold->setData(points.x, points.y, true);
    }
}

void CurvePlot::fillMarks() {
    QVector<double> wrong, bottom, bestX, bestY;
    for (const auto& curve : content_.curves) {
        const auto& x = xOf(curve);
        for (qsizetype i = 0; i < x.size(); ++i)
            if (!std::isfinite(curve.value[i]))
                wrong.append(x[i]);
        if (curve.style == CurveStyle::Dots && content_.best && *content_.best < x.size()) {
            bestX.append(x[*content_.best]);
            bestY.append(curve.value[*content_.best]);
        }
    }
    bottom.fill(0.03, wrong.size());
    marks_->setData(wrong, bottom);
    bestMark_->setData(bestX, bestY);
    baseline_->setVisible(content_.baseline && std::isfinite(*content_.baseline));
    if (content_.baseline) {
        baseline_->point1->setCoords(0, *content_.baseline);
        baseline_->point2->setCoords(1, *content_.baseline);
    }
}

void CurvePlot::fitX() {
    double last = 0;
    for (const auto& curve : content_.curves)
        if (!curve.step.isEmpty())
            last = std::max(last, xOf(curve).last());
    // A little more, so that the last point is not cut in half.
    xAxis->setRange(0, 1.012 * grownEnd(last, axis_ == XAxis::Step ? content_.lastStep : 0));
}

void CurvePlot::fitY() {
    if (content_.highest && !logarithmic_)
        return yAxis->setRange(0, *content_.highest * 1.02);
    const auto range = xAxis->range();
    QVector<double> visible;
    for (const auto& curve : content_.curves) {
        const auto& x = xOf(curve);
        for (qsizetype i = 0; i < x.size(); ++i)
            if (range.contains(x[i]) && std::isfinite(curve.value[i]) &&
                (!logarithmic_ || curve.value[i] > 0))
                visible.append(curve.value[i]);
    }
    if (content_.baseline && std::isfinite(*content_.baseline))
        visible.append(*content_.baseline);
    if (visible.isEmpty())
        return yAxis->setRange(logarithmic_ ? 0.1 : 0, 1);
    const auto cut = ignoreOutliers_ ? visible.size() / 100 + (visible.size() > 20 ? 1 : 0) : 0;
    std::nth_element(visible.begin(), visible.begin() + cut, visible.end());
    const double low = visible[cut];
    std::nth_element(visible.begin(), visible.end() - 1 - cut, visible.end());
    const double high = visible[visible.size() - 1 - cut];
    if (logarithmic_) {
        const double margin = std::pow(high / low, 0.06) * 1.01;
        return yAxis->setRange(low / margin, high * margin);
    }
    const double margin = high > low ? (high - low) * 0.06 : std::max(std::abs(high) * 0.1, 1e-12);
    yAxis->setRange(low - margin, high + margin);
}

void CurvePlot::resizeEvent(QResizeEvent* event) {
    QCustomPlot::resizeEvent(event);
    fillGraphs();
}

void CurvePlot::mouseDoubleClickEvent(QMouseEvent*) {
    resetZoom();
    Q_EMIT zoomReset();
}

void CurvePlot::mouseMoveEvent(QMouseEvent* event) {
    QCustomPlot::mouseMoveEvent(event);
    if (event->buttons() != Qt::NoButton || !axisRect()->rect().contains(event->pos()))
        return;
    const auto text = hoverText(xAxis->pixelToCoord(event->pos().x()));
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

QString CurvePlot::hoverText(double x) const {
    QStringList lines;
    for (std::size_t i = 0; i < content_.curves.size(); ++i) {
        const auto& curve = content_.curves[i];
        const auto& xs = xOf(curve);
        if (xs.isEmpty())
            continue;
        auto index = std::lower_bound(xs.begin(), xs.end(), x) - xs.begin();
        if (index == xs.size() || (index > 0 && x - xs[index - 1] < xs[index] - x))
            --index;
        auto line = QString("%1 %2 at %3 %4")
                        .arg(curve.name, text::significant(curve.value[index]), content_.stepName.toLower())
                        .arg(std::llround(curve.step[index]));
        if (curve.style == CurveStyle::Noisy)
            line += ", smoothed " + text::significant(smoothed_[i][index]);
        lines.append(line);
    }
    return lines.join('\n');
}

} // namespace anneal
