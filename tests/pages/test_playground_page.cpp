#include "tests/pages/studio_fixture.h"
#include "ui/pages/playground_page.h"

#include <QTest>

using namespace anneal;

class TestPlaygroundPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksACheckpointAndTheBase();
};

void TestPlaygroundPage::asksACheckpointAndTheBase() {
    StudioFixture fixture;
    PlaygroundPage page(fixture.studio);
    QTRY_COMPARE(fixture.runs.rowCount(), 3);
    page.choose("legal-qa", "40");
    page.setPrompt("Which licence?");
    auto* both = page.findChild<QCheckBox*>();
    QTRY_VERIFY(both->isEnabled());
    both->setChecked(true);
    const auto boxes = page.findChildren<QComboBox*>();
    QTRY_VERIFY(
        std::any_of(boxes.begin(), boxes.end(), [](QComboBox* box) { return box->currentText() == "40"; }));
    page.generate();
    QTRY_COMPARE(page.answers().count("Echo: Which licence?"), 2);
    const auto requests = fixture.requests("generate");
    QCOMPARE(requests.size(), std::size_t(2));
    QCOMPARE(requests[0]["model"].get<std::string>(), std::string("/models/smol"));
    QCOMPARE(requests[1]["run"].get<std::string>(), std::string("legal-qa"));
    QCOMPARE(requests[1]["checkpoint"].get<std::string>(), std::string("40"));
    QCOMPARE(requests[1]["max_new_tokens"].get<int>(), 128);
}

QTEST_MAIN(TestPlaygroundPage)
#include "test_playground_page.moc"
