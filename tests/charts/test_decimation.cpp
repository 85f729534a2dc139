#include "ui/charts/decimation.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace anneal;

class TestDecimation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fewPointsStay();
    void spikesSurvive();
    void neighboursOfTheRangeStay();
    void nonFiniteIsLeftOut();
};

void TestDecimation::fewPointsStay() {
    const auto points = decimated({1, 2, 3}, {5, 6, 7}, 0, 10, 100);
    QCOMPARE(points.x, (QVector<double>{1, 2, 3}));
    QCOMPARE(points.y, (QVector<double>{5, 6, 7}));
}

void TestDecimation::spikesSurvive() {
    QVector<double> x, y;
    for (int i = 0; i < 100'000; ++i) {
        x.append(i);
        y.append(std::sin(i * 0.001));
    }
    y[54'321] = 100;
    y[77'777] = -100;
    const auto points = decimated(x, y, 0, 100'000, 500);
    QVERIFY(points.x.size() <= 2 * 502);
    QVERIFY(points.x.size() >= 500);
    QCOMPARE(*std::max_element(points.y.begin(), points.y.end()), 100.0);
    QCOMPARE(*std::min_element(points.y.begin(), points.y.end()), -100.0);
    QVERIFY(std::is_sorted(points.x.begin(), points.x.end()));
}

void TestDecimation::neighboursOfTheRangeStay() {
    const auto points = decimated({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, 2.5, 3.5, 100);
    QCOMPARE(points.x, (QVector<double>{2, 3, 4}));
    QVERIFY(decimated({}, {}, 0, 1, 10).x.isEmpty());
}

void TestDecimation::nonFiniteIsLeftOut() {
    const auto points = decimated({1, 2, 3}, {1, std::nan(""), 3}, 0, 10, 100);
    QCOMPARE(points.x, (QVector<double>{1, 3}));
}

QTEST_GUILESS_MAIN(TestDecimation)
#include "test_decimation.moc"
