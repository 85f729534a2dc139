#include "ui/charts/chart.h"
#include "ui/charts/smoothing.h"

#include <QTest>

#include <cmath>

using namespace anneal;

class TestChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void drawsRawAndSmoothed();
    void marksNaNBestAndBase();
    void followsUntilZoomed();
    void zoomsAreLinked();
    void redrawsOnlyWhatChanged();
    void logarithmicLeavesOutZero();
    void timeAxis();
    void tableAndMarkdown();
};

/// Thirty steps with a NaN at step 10, validation at 10, 20 and 30.
static ChartContent content() {
    ChartContent content;
    Curve loss{"loss", CurveStyle::Noisy, {}, {}, {}}, validation{"validation", CurveStyle::Dots, {}, {}, {}};
    for (int step = 1; step <= 30; ++step) {
        loss.step.append(step);
        loss.seconds.append(step * 2.0);
        loss.value.append(step == 10 ? std::nan("") : 3.0 / step + 1);
        if (step % 10 == 0) {
            validation.step.append(step);
            validation.seconds.append(step * 2.0);
            validation.value.append(1.5 - step * 0.01);
        }
    }
    content.curves = {loss, validation};
    content.baseline = 1.9;
    content.best = 2;
    content.lastStep = 100;
    return content;
}

static QVector<double> xs(const QCPGraph& graph) {
    QVector<double> values;
    for (const auto& point : *graph.data())
        values.append(point.key);
    return values;
}

static QVector<double> ys(const QCPGraph& graph) {
    QVector<double> values;
    for (const auto& point : *graph.data())
        values.append(point.value);
    return values;
}

void TestChart::drawsRawAndSmoothed() {
    CurvePlot plot;
    plot.resize(600, 300);
    plot.setPreferences({0.6, 1000, true});
    plot.setContent(content());
    plot.redraw();
    // 0: NaN marks, 1: best; then raw, smoothed, validation.
    QCOMPARE(plot.graphCount(), 5);
    QCOMPARE(xs(*plot.graph(2)).size(), 30);
    const auto expected = smoothed(content().curves[0].value, 0.6);
    QCOMPARE(xs(*plot.graph(3)).size(), 29); // the NaN is marked instead
    QCOMPARE(ys(*plot.graph(3)).last(), expected.last());
    QCOMPARE(plot.graph(2)->pen().width(), 1);
    QCOMPARE(plot.graph(3)->pen().width(), 2);
    QCOMPARE(ys(*plot.graph(4)), content().curves[1].value);
}

void TestChart::marksNaNBestAndBase() {
    CurvePlot plot;
    plot.setContent(content());
    plot.redraw();
    QCOMPARE(xs(*plot.graph(0)), QVector<double>{10});
    QCOMPARE(xs(*plot.graph(1)), QVector<double>{30});
    QCOMPARE(ys(*plot.graph(1)), QVector<double>{1.2});
    const auto* line = qobject_cast<QCPItemStraightLine*>(plot.item(0));
    QVERIFY(line && line->visible());
    QCOMPARE(line->point1->coords().y(), 1.9);
    QVERIFY(plot.yAxis->range().contains(1.9));
}

void TestChart::followsUntilZoomed() {
    CurvePlot plot;
    plot.setContent(content());
    plot.redraw();
    QCOMPARE(plot.xAxis->range().lower, 0.0);
    QVERIFY(plot.xAxis->range().upper >= 30 && plot.xAxis->range().upper <= 101.2);
    plot.xAxis->setRange(5, 15); // as the wheel does
    QVERIFY(plot.zoomed());
    plot.setContent(content());
    plot.redraw();
    QCOMPARE(plot.xAxis->range().lower, 5.0);
    QCOMPARE(plot.xAxis->range().upper, 15.0);
    plot.resetZoom();
    QCOMPARE(plot.xAxis->range().lower, 0.0);
}

void TestChart::zoomsAreLinked() {
    Chart first("A"), second("B");
    Chart::link({&first, &second});
    first.setContent(content());
    second.setContent(content());
    first.plot().xAxis->setRange(5, 15);
    QCOMPARE(second.plot().xAxis->range().upper, 15.0);
    Q_EMIT first.plot().zoomReset();
    QVERIFY(!second.plot().zoomed());
}

void TestChart::redrawsOnlyWhatChanged() {
    Chart chart("Loss");
    chart.setPreferences({0.6, 300, true});
    chart.setContent(content());
    QTest::qWait(20);
    QCOMPARE(chart.plot().redraws(), 0); // nobody sees it
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    QTRY_COMPARE(chart.plot().redraws(), 1);
    for (int i = 0; i < 20; ++i)
        chart.setContent(content());
    QCOMPARE(chart.plot().redraws(), 1);
    QTRY_COMPARE(chart.plot().redraws(), 2);
    QTest::qWait(400);
    QCOMPARE(chart.plot().redraws(), 2);
}

void TestChart::logarithmicLeavesOutZero() {
    CurvePlot plot;
    auto data = content();
    data.curves[0].value[3] = 0;
    plot.setContent(data);
    plot.setLogarithmic(true);
    plot.redraw();
    QVERIFY(plot.yAxis->range().lower > 0.5);
    QCOMPARE(plot.yAxis->scaleType(), QCPAxis::stLogarithmic);
}

void TestChart::timeAxis() {
    CurvePlot plot;
    plot.setContent(content());
    plot.setXAxis(XAxis::Time);
    plot.redraw();
    QCOMPARE(xs(*plot.graph(2)).last(), 60.0);
}

void TestChart::tableAndMarkdown() {
    Chart chart("Loss");
    chart.setPreferences({0.6, 300, true});
    chart.setContent(content());
    const auto lines = chart.markdown().split('\n');
    QCOMPARE(lines[0], QString("**Loss**"));
    QCOMPARE(lines[2], QString("| Step | loss | loss (smoothed) | validation |"));
    QVERIFY(lines[13].startsWith("| 10 | NaN | NaN | 1.4"));
    QVERIFY(lines[14].endsWith("| – |"));
    ChartTableModel model;
    model.setContent(content(), {content().curves[0].value, content().curves[1].value});
    QCOMPARE(model.rowCount(), 30);
    QCOMPARE(model.markdown(10).count('\n'), 2 + 10);
    QVERIFY(model.markdown(10).contains("| 30 |"));
}

QTEST_MAIN(TestChart)
#include "test_chart.moc"
