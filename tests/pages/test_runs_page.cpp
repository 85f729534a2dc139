#include "tests/pages/studio_fixture.h"
#include "ui/pages/runs_page.h"

#include <QSignalSpy>
#include <QTest>

using namespace anneal;

class TestRunsPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listsRunsAndPreviewsTheFirst();
    void filterAndMarkdown();
    void opensARun();
};

void TestRunsPage::listsRunsAndPreviewsTheFirst() {
    StudioFixture fixture;
    RunsPage page(fixture.studio);
    page.show();
    QTRY_COMPARE(page.table().model()->rowCount(), 3);
    QCOMPARE(page.selectedRun(), QString("legal-qa"));
    QTRY_COMPARE(fixture.requests("follow").size(), std::size_t(1));
}

void TestRunsPage::filterAndMarkdown() {
    StudioFixture fixture;
    RunsPage page(fixture.studio);
    QTRY_COMPARE(page.table().model()->rowCount(), 3);
    QVERIFY(page.markdown().startsWith("| Name | Status |"));
    QVERIFY(page.markdown().contains("NaN"));
    qobject_cast<QLineEdit*>(page.firstControl())->setText("smol-lic");
    QCOMPARE(page.table().model()->rowCount(), 1);
}

void TestRunsPage::opensARun() {
    StudioFixture fixture;
    RunsPage page(fixture.studio);
    QSignalSpy opened(&page, &RunsPage::runOpened);
    QTRY_COMPARE(page.table().model()->rowCount(), 3);
    page.select("70b-try");
    Q_EMIT page.table().activated(page.table().currentIndex());
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened[0][0].toString(), QString("70b-try"));
}

QTEST_MAIN(TestRunsPage)
#include "test_runs_page.moc"
