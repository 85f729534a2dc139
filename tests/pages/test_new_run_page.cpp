#include "tests/pages/studio_fixture.h"
#include "ui/pages/new_run_page.h"

#include <QSignalSpy>
#include <QTest>

using namespace anneal;

class TestNewRunPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void emptyFormCannotStart();
    void summaryReactsToEdits();
    void startSendsTheConfiguration();
    void factsStandInTheirSections();
    void opensFilesAndReportsBadOnes();
    void replacedFormCanBeBroughtBack();
    void savesToAFile();
};

/// Existing paths, so that validation has nothing to say.
static RunConfig goodConfig(const StudioFixture& fixture) {
    QFile model(fixture.path("model.gguf")), data(fixture.path("train.jsonl"));
    if (!model.open(QIODevice::WriteOnly) || !data.open(QIODevice::WriteOnly))
        qFatal("cannot write test files");
    RunConfig config;
    config.name = "mine";
    config.model.path = toStd(model.fileName());
    config.data.train = {{toStd(data.fileName()), "auto", 1.0}};
    return config;
}

void TestNewRunPage::emptyFormCannotStart() {
    StudioFixture fixture;
    NewRunPage page(fixture.studio);
    QTRY_VERIFY(page.form().cell("model.path")->note().text().contains("No model"));
    QVERIFY(!page.canStart());
    QVERIFY(page.summary().problemsText().contains("error"));
    page.start();
    QTest::qWait(50);
    QVERIFY(fixture.requests("start").empty());
}

void TestNewRunPage::summaryReactsToEdits() {
    StudioFixture fixture;
    NewRunPage page(fixture.studio);
    page.startFrom(goodConfig(fixture), "test");
    QCOMPARE(page.summary().batchText(), QString("32"));
    QTRY_VERIFY(page.summary().plan().has_value());
    QCOMPARE(page.summary().timeText(), QString("7–11 min"));
    QCOMPARE(page.summary().costText(), QString("0.011 USD"));
    auto config = page.config();
    config.training.per_device_batch_size = 2;
    page.form().setConfig(config);
    QCOMPARE(page.summary().batchText(), QString("16"));
}

void TestNewRunPage::startSendsTheConfiguration() {
    StudioFixture fixture;
    NewRunPage page(fixture.studio);
    QSignalSpy started(&page, &NewRunPage::runStarted);
    auto config = goodConfig(fixture);
    config.lora.rank = 48;
    page.startFrom(config, "test");
    QTRY_VERIFY(page.canStart());
    page.start();
    QTRY_COMPARE(started.size(), 1);
    QCOMPARE(started[0][0].toString(), QString("mine-1"));
    const auto requests = fixture.requests("start");
    QCOMPARE(requests.size(), std::size_t(1));
    QCOMPARE(dumpJson(requests[0]["config"]), dumpJson(configToJson(config)));
}

void TestNewRunPage::factsStandInTheirSections() {
    StudioFixture fixture;
    NewRunPage page(fixture.studio);
    page.startFrom(goodConfig(fixture), "test");
    const auto shows = [&](const char* group, const QString& text) {
        const auto labels = page.form().section(group).findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* label) { return label->text() == text; });
    };
    QTRY_VERIFY(shows("Model", "Llama, 134.5 M parameters, 30 layers, chat template found"));
    QTRY_VERIFY(shows("Data", "messages, 48,211 rows, key \"messages\""));
    QTRY_VERIFY(shows("LoRA", "4.88 M parameters trained"));
}

void TestNewRunPage::opensFilesAndReportsBadOnes() {
    StudioFixture fixture;
    NewRunPage page(fixture.studio);
    page.openFile("/some/recipe.yaml");
    QTRY_COMPARE(page.config().name, std::string("legal-qa"));
    page.openFile("/some/missing.yaml");
    const auto* notice = page.findChild<NoticeLine*>();
    QTRY_VERIFY(notice->text().contains("Check the path."));
    QCOMPARE(page.config().name, std::string("legal-qa"));
}

void TestNewRunPage::replacedFormCanBeBroughtBack() {
    StudioFixture fixture;
    NewRunPage page(fixture.studio);
    auto* rank = qobject_cast<QLineEdit*>(page.form().cell("lora.rank")->control().buddy());
    rank->setText("99");
    page.startFrom(RunConfig(), "defaults");
    QCOMPARE(page.config().lora.rank, 16);
    const auto buttons = page.findChildren<QPushButton*>();
    const auto undo =
        std::find_if(buttons.begin(), buttons.end(), [](QPushButton* b) { return b->text() == "Undo"; });
    QVERIFY(undo != buttons.end() && !(*undo)->isHidden());
    (*undo)->click();
    QCOMPARE(page.config().lora.rank, 99);
}

void TestNewRunPage::savesToAFile() {
    StudioFixture fixture;
    NewRunPage page(fixture.studio);
    page.saveFile("/tmp/somewhere.yaml");
    QTRY_COMPARE(fixture.requests("save_config").size(), std::size_t(1));
    QCOMPARE(fixture.requests("save_config")[0]["path"].get<std::string>(),
             std::string("/tmp/somewhere.yaml"));
}

QTEST_MAIN(TestNewRunPage)
#include "test_new_run_page.moc"
