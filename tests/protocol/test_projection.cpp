#include "core/protocol/projection.h"

#include <QTest>
#include <limits>

using namespace anneal;

namespace {

void start(Projection& projection, std::int64_t maxSteps) {
    StartedEvent event;
    event.max_steps = maxSteps;
    projection.observe(event);
}

void step(Projection& projection, std::int64_t number, double seconds) {
    StepEvent event;
    event.step = number;
    event.seconds = seconds;
    projection.observe(event);
}

void evaluate(Projection& projection, std::int64_t number, double seconds) {
    EvaluationEvent event;
    event.step = number;
    event.seconds = seconds;
    projection.observe(event);
}

double middle(const Projection& projection) {
    const auto left = projection.secondsLeft();
    return left ? (left->low + left->high) / 2 : -1;
}

} // namespace

class TestProjection : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knowsNothingBeforeTheFirstStep() {
        Projection projection;
        QVERIFY(!projection.secondsLeft());
        start(projection, 100);
        QVERIFY(!projection.secondsLeft());
    }

    void firstStepDoesNotDistort() {
        Projection projection;
        start(projection, 101);
        step(projection, 1, 60);
        QVERIFY(projection.secondsLeft()->high > 600);
        for (int i = 2; i <= 11; ++i)
            step(projection, i, 2);
        QCOMPARE(middle(projection), 180.0);
        QCOMPARE(*projection.secondsPerStep(), 2.0);
    }

    void rangeNarrowsAndHoldsTheTruth() {
        Projection projection;
        start(projection, 1000);
        double earlier = 1e9;
        for (int i = 1; i <= 200; ++i) {
            step(projection, i, i % 2 ? 1.5 : 2.5);
            if (i % 50 != 0)
                continue;
            const auto left = *projection.secondsLeft();
            QVERIFY(left.low < 2.0 * (1000 - i) && left.high > 2.0 * (1000 - i));
            QVERIFY((left.high - left.low) / left.high < earlier + 1e-9);
            earlier = (left.high - left.low) / left.high;
        }
        QVERIFY(earlier < 0.25);
    }

    void oneSlowStepAmongManyIsNoTrend() {
        Projection projection;
        start(projection, 200);
        for (int i = 1; i <= 100; ++i)
            step(projection, i, i == 50 ? 500 : 1);
        QCOMPARE(middle(projection), 100.0);
    }

    void followsAMachineThatSlowsDown() {
        Projection projection;
        start(projection, 1000);
        for (int i = 1; i <= 200; ++i)
            step(projection, i, i <= 100 ? 1 : 3);
        QCOMPARE(middle(projection), 2400.0);
    }

    void resumeKeepsTheTimingsAndSkipsItsFirstStep() {
        Projection projection;
        start(projection, 100);
        for (int i = 1; i <= 50; ++i)
            step(projection, i, 10);
        projection.observe(ResumedEvent{40, "interrupted"});
        QCOMPARE(middle(projection), 600.0);
        step(projection, 41, 90);
        QCOMPARE(middle(projection), 590.0);
    }

    void evaluationsToComeAreCounted() {
        Projection projection({.evaluation_every = 10, .checkpoint_every = 0});
        start(projection, 45);
        evaluate(projection, 0, 30);
        for (int i = 1; i <= 20; ++i)
            step(projection, i, 1);
        evaluate(projection, 20, 30);
        QCOMPARE(middle(projection), 25.0 + 3 * 30); // after steps 30, 40 and at the end
    }

    void intervalsMayBeShares() {
        Projection projection({.evaluation_every = 0.25, .checkpoint_every = 0.5});
        start(projection, 40);
        for (int i = 1; i <= 20; ++i)
            step(projection, i, 1);
        evaluate(projection, 20, 8);
        projection.observe(CheckpointEvent{20, "checkpoints/step-00000020", 1, 2});
        QCOMPARE(middle(projection), 20.0 + 2 * 8 + 1 * 2);
    }

    void nothingIsLeftAfterTheEnd() {
        Projection projection({.evaluation_every = 10, .checkpoint_every = 10});
        start(projection, 3);
        for (int i = 1; i <= 3; ++i)
            step(projection, i, 5);
        QCOMPARE(middle(projection), 0.0);
        projection.observe(FinishedEvent{3, "finished", "", 15});
        QCOMPARE(projection.secondsLeft()->high, 0.0);
    }

    void absurdDurationsAreIgnored() {
        Projection projection;
        start(projection, 12);
        for (int i = 1; i <= 11; ++i)
            step(projection, i, i == 6 ? -100.0 : i == 7 ? std::numeric_limits<double>::infinity() : 2.0);
        QCOMPARE(middle(projection), 2.0);
    }

    void costFollowsActiveTime() {
        const auto cost = projectCost(36.0, 1000, TimeLeft{1800, 2200}, "EUR");
        QCOMPARE(*cost.spent, 10.0);
        QCOMPARE(*cost.projected, 30.0);
        QCOMPARE(cost.currency, std::string("EUR"));
        QVERIFY(!projectCost(36.0, 1000, std::nullopt, "USD").projected);
        QVERIFY(!projectCost(std::nullopt, 1000, TimeLeft{1, 2}, "USD").spent);
    }

    void trimmedMeanCutsBothEnds() {
        QCOMPARE(trimmedMean({}), 0.0);
        QCOMPARE(trimmedMean({4}), 4.0);
        QCOMPARE(trimmedMean({1000, 2, 2, 2, 2, 2, 2, 2, 2, -1000}), 2.0);
    }
};

QTEST_APPLESS_MAIN(TestProjection)
#include "test_projection.moc"
