#include "ui/charts/smoothing.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace anneal;

class TestSmoothing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsTheFormula();
    void nonFinitePassesThroughAndDoesNotCount();
    void constantSeriesIsReturnedRaw();
    void weightIsBounded();
};

void TestSmoothing::followsTheFormula() {
    // s = 0.5: last = 0.5, 1.25, 2.125; divided by 0.5, 0.75, 0.875.
    const auto result = smoothed({1, 2, 3}, 0.5);
    QCOMPARE(result.size(), 3);
    QCOMPARE(result[0], 1.0);
    QCOMPARE(result[1], 1.25 / 0.75);
    QCOMPARE(result[2], 2.125 / 0.875);
}

void TestSmoothing::nonFinitePassesThroughAndDoesNotCount() {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();
    const auto with = smoothed({1, nan, 2, infinity, 3}, 0.5), without = smoothed({1, 2, 3}, 0.5);
    QVERIFY(std::isnan(with[1]));
    QVERIFY(std::isinf(with[3]));
    QCOMPARE(with[2], without[1]);
    QCOMPARE(with[4], without[2]);
}

void TestSmoothing::constantSeriesIsReturnedRaw() {
    const QVector<double> constant(50, 0.1);
    QCOMPARE(smoothed(constant, 0.9), constant);
    QVERIFY(smoothed({}, 0.9).isEmpty());
}

void TestSmoothing::weightIsBounded() {
    QCOMPARE(smoothed({1, 2, 3}, 0), (QVector<double>{1, 2, 3}));
    const auto most = smoothed({1, 2, 3}, 5), bounded = smoothed({1, 2, 3}, 0.999);
    QCOMPARE(most, bounded);
    QVERIFY(std::isfinite(most.last()));
}

QTEST_GUILESS_MAIN(TestSmoothing)
#include "test_smoothing.moc"
