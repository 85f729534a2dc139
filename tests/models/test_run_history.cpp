#include "ui/models/run_history.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace anneal;

class TestRunHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void collectsCurves();
    void resumeSupersedesLaterSteps();
    void replayChangesNothing();
    void bestIgnoresBaseAndNaN();
    void phaseEndsWithTheNextStep();
};

static EventRecord stepRecord(std::int64_t seq, std::int64_t step, double loss) {
    StepEvent event;
    event.step = step;
    event.loss = loss;
    return {static_cast<double>(100 + seq), seq, event};
}

static EventRecord evaluationRecord(std::int64_t seq, std::int64_t step, double loss) {
    EvaluationEvent event;
    event.step = step;
    event.loss = loss;
    return {static_cast<double>(100 + seq), seq, event};
}

void TestRunHistory::collectsCurves() {
    RunHistory history;
    QSignalSpy changed(&history, &RunHistory::changed);
    history.add({stepRecord(1, 1, 3), stepRecord(2, 2, 2)});
    QCOMPARE(changed.size(), 1);
    QCOMPARE(history.steps().step, (QVector<double>{1, 2}));
    QCOMPARE(history.steps().loss, (QVector<double>{3, 2}));
    QCOMPARE(history.lastStep()->step, 2);
    QCOMPARE(history.startTime(), 101.0);
    history.add({});
    QCOMPARE(changed.size(), 1);
}

void TestRunHistory::resumeSupersedesLaterSteps() {
    RunHistory history;
    history.add({stepRecord(1, 1, 3),
                 stepRecord(2, 2, 2),
                 evaluationRecord(3, 2, 2.5),
                 stepRecord(4, 3, 9),
                 evaluationRecord(5, 3, 9),
                 {106, 6, ErrorEvent{3, "lost power", ""}},
                 {107, 7, ResumedEvent{2, ""}},
                 stepRecord(8, 3, 1.5)});
    QCOMPARE(history.steps().step, (QVector<double>{1, 2, 3}));
    QCOMPARE(history.steps().loss, (QVector<double>{3, 2, 1.5}));
    QCOMPARE(history.evaluations().size(), std::size_t(1));
    // What went wrong stays visible.
    QVERIFY(std::any_of(history.notable().begin(), history.notable().end(), [](const EventRecord& record) {
        return std::holds_alternative<ErrorEvent>(record.event);
    }));
}

void TestRunHistory::replayChangesNothing() {
    RunHistory history;
    const std::vector<EventRecord> records{stepRecord(1, 1, 3), evaluationRecord(2, 1, 2.5),
                                           stepRecord(3, 2, 2)};
    history.add(records);
    QSignalSpy changed(&history, &RunHistory::changed);
    history.add(records);
    QCOMPARE(changed.size(), 0);
    QCOMPARE(history.steps().size(), 2);
    QCOMPARE(history.evaluations().size(), std::size_t(1));
}

void TestRunHistory::bestIgnoresBaseAndNaN() {
    RunHistory history;
    history.add({evaluationRecord(1, 0, 0.5), evaluationRecord(2, 1, std::nan("")),
                 evaluationRecord(3, 2, 1.5), evaluationRecord(4, 3, 1.7)});
    QCOMPARE(history.base()->loss, 0.5);
    QCOMPARE(history.best()->step, 2);
}

void TestRunHistory::phaseEndsWithTheNextStep() {
    RunHistory history;
    history.add({{1, 1, PhaseEvent{"loading model", 10, 30, "layers"}}});
    QCOMPARE(history.phase()->name, std::string("loading model"));
    history.add({stepRecord(2, 1, 3)});
    QVERIFY(!history.phase());
}

QTEST_GUILESS_MAIN(TestRunHistory)
#include "test_run_history.moc"
