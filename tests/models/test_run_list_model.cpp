#include "ui/models/number_text.h"
#include "ui/models/run_filter_model.h"
#include "ui/models/run_list_model.h"
#include "ui/models/table_markdown.h"

#include <QSignalSpy>
#include <QTest>

using namespace anneal;

class TestRunListModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void newestFirst();
    void oneChangedRunIsOneChangedRow();
    void filters();
    void unknownIsADash();
    void copiesAsMarkdown();
};

static RunSummary run(const std::string& id, RunStatus status, double created) {
    RunSummary summary;
    summary.id = id;
    summary.name = id;
    summary.status = status;
    summary.created = created;
    return summary;
}

static std::vector<RunSummary> threeRuns() {
    auto tagged = run("old-one", RunStatus::Finished, 1);
    tagged.tags = {"legal"};
    return {tagged, run("new-one", RunStatus::Running, 3), run("middle", RunStatus::Failed, 2)};
}

void TestRunListModel::newestFirst() {
    RunListModel model;
    model.setRuns(threeRuns());
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(0, 0).data().toString(), QString("new-one"));
    QCOMPARE(model.index(2, 0).data().toString(), QString("old-one"));
    QCOMPARE(model.activeCount(), 1);
    QVERIFY(model.find("middle"));
    QVERIFY(!model.find("none"));
}

void TestRunListModel::oneChangedRunIsOneChangedRow() {
    RunListModel model;
    model.setRuns(threeRuns());
    QSignalSpy data(&model, &QAbstractItemModel::dataChanged), reset(&model, &QAbstractItemModel::modelReset);
    auto runs = threeRuns();
    runs[2].step = 7;
    model.setRuns(runs);
    QCOMPARE(reset.size(), 0);
    QCOMPARE(data.size(), 1);
    QCOMPARE(data[0][0].toModelIndex().row(), 1);
    model.setRuns(runs);
    QCOMPARE(data.size(), 1);
}

void TestRunListModel::filters() {
    RunListModel model;
    model.setRuns(threeRuns());
    RunFilterModel filter;
    filter.setSourceModel(&model);
    filter.setWords("ONE");
    QCOMPARE(filter.rowCount(), 2);
    filter.setWords("one legal");
    QCOMPARE(filter.rowCount(), 1);
    filter.setWords("");
    filter.setStatuses({RunStatus::Failed});
    QCOMPARE(filter.rowCount(), 1);
    QCOMPARE(filter.index(0, 0).data().toString(), QString("middle"));
}

void TestRunListModel::unknownIsADash() {
    RunListModel model;
    model.setRuns({run("a", RunStatus::Queued, 1)});
    for (const int column :
         {RunListModel::TrainLoss, RunListModel::BestValidation, RunListModel::TokensPerSecond,
          RunListModel::TimeLeft, RunListModel::Cost, RunListModel::Duration})
        QCOMPARE(model.index(0, column).data().toString(), text::dash);
    QCOMPARE(model.index(0, RunListModel::Step).data().toString(), "0 / " + text::dash);
}

void TestRunListModel::copiesAsMarkdown() {
    RunListModel model;
    model.setRuns({run("a|b", RunStatus::Queued, 1)});
    QCOMPARE(tableMarkdown(model, {RunListModel::Name, RunListModel::TrainLoss}),
             QString("| Name | Loss |\n| --- | ---: |\n| a\\|b | – |\n"));
}

QTEST_GUILESS_MAIN(TestRunListModel)
#include "test_run_list_model.moc"
