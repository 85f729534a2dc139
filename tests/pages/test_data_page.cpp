#include "tests/pages/studio_fixture.h"
#include "ui/pages/data_page.h"

#include <QTest>

using namespace anneal;

class TestDataPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksOnlyWhenSeen();
    void colours();
    void summaryAndRejected();
};

static RunConfig config() {
    RunConfig config;
    config.model.path = "/models/x";
    config.data.train = {{"/data/train.jsonl", "auto", 1.0}};
    return config;
}

void TestDataPage::asksOnlyWhenSeen() {
    StudioFixture fixture;
    DataPage page(fixture.studio);
    page.setConfig(config());
    QTest::qWait(150);
    QVERIFY(fixture.requests("inspect").empty());
    page.show();
    QTRY_COMPARE(page.rows().rowCount(), 5);
    auto edited = config();
    edited.training.learning_rate = 1e-5; // nothing to do with rows
    page.setConfig(edited);
    QTest::qWait(150);
    QCOMPARE(fixture.requests("inspect").size(), std::size_t(1));
    edited.data.max_length = 64;
    page.setConfig(edited);
    QTRY_COMPARE(fixture.requests("inspect").size(), std::size_t(2));
}

void TestDataPage::colours() {
    StudioFixture fixture;
    DataPage page(fixture.studio);
    page.setConfig(config());
    page.show();
    QTRY_COMPARE(page.rows().rowCount(), 5);
    QCOMPARE(page.tokens().highlighted(), 2);
    QVERIFY(page.tokens().toPlainText().contains("What?↵"));
    page.table().setCurrentIndex(page.rows().index(2, 0));
    const auto labels = page.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [](const QLabel* label) { return label->text().contains("7 tokens cut off"); }));
}

void TestDataPage::summaryAndRejected() {
    StudioFixture fixture;
    DataPage page(fixture.studio);
    page.setConfig(config());
    page.show();
    QTRY_COMPARE(page.rejected().rowCount(), 1);
    QCOMPARE(page.tiles()[0]->value(), QString("5"));
    QCOMPARE(page.tiles()[2]->value(), QString("50.0 %"));
    QCOMPARE(page.tiles()[3]->note(), QString("rows cut (20.0 %)"));
    QVERIFY(page.markdown().contains("The row has no answer."));
}

QTEST_MAIN(TestDataPage)
#include "test_data_page.moc"
