#include "tests/pages/studio_fixture.h"
#include "ui/models/number_text.h"
#include "ui/pages/live_page.h"

#include <QTest>

#include <cmath>

using namespace anneal;

class TestLivePage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void replaysTheRun();
    void reopenedPageShowsTheSame();
    void lostConnectionDoublesNothing();
    void headTellsWhatDecides();
    void gaugesShowTheHost();
    void tabsShowTheRest();
    void buttonsControlTheRun();
    void anotherRunReplacesEverything();
};

/// What the loss chart draws, as numbers.
static QVector<QVector<double>> plotted(LivePage& page) {
    QVector<QVector<double>> all;
    for (const auto* chart : page.charts())
        for (const auto& curve : chart->plot().content().curves)
            all << curve.step << curve.seconds << curve.value;
    return all;
}

/// NaN equals NaN here.
static bool same(const QVector<QVector<double>>& a, const QVector<QVector<double>>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                          [](double u, double v) { return u == v || (std::isnan(u) && std::isnan(v)); });
    });
}

static bool isComplete(LivePage& page) {
    const auto& curves = page.lossChart().plot().content().curves;
    return page.feed().summary() && page.feed().config().is_object() && !curves.empty() &&
           curves[0].step.size() == 60;
}

void TestLivePage::replaysTheRun() {
    StudioFixture fixture;
    LivePage page(fixture.studio);
    page.showRun("legal-qa");
    QTRY_VERIFY(isComplete(page));
    const auto& content = page.lossChart().plot().content();
    QCOMPARE(content.curves[0].step.size(), 60);
    // Steps 21 to 25 were taken twice; the first time is superseded.
    QCOMPARE(content.curves[0].value[20], 1.4 + 1.0 / 21);
    QVERIFY(std::isnan(content.curves[0].value[29]));
    QCOMPARE(content.curves[1].step, (QVector<double>{40, 60}));
    QCOMPARE(content.baseline, std::optional(1.71));
    QCOMPARE(content.best, std::optional<qsizetype>(0));
}

void TestLivePage::reopenedPageShowsTheSame() {
    StudioFixture fixture;
    QVector<QVector<double>> before;
    {
        LivePage page(fixture.studio);
        page.showRun("legal-qa");
        QTRY_VERIFY(isComplete(page));
        before = plotted(page);
    }
    LivePage page(fixture.studio);
    page.showRun("legal-qa");
    QTRY_VERIFY(isComplete(page));
    QVERIFY(same(before, plotted(page)));
    QVERIFY(!before.isEmpty() && !before[0].isEmpty());
}

void TestLivePage::lostConnectionDoublesNothing() {
    StudioFixture fixture;
    LivePage page(fixture.studio);
    page.showRun("legal-qa");
    QTRY_VERIFY(isComplete(page));
    const auto before = plotted(page);
    const auto logged = page.feed().log();
    fixture.client.request("crash", Json::object(), this, {});
    QTRY_COMPARE(fixture.client.state(), ServeClient::State::Waiting);
    QTRY_COMPARE(fixture.client.state(), ServeClient::State::Ready);
    QTRY_COMPARE(fixture.requests("follow").size(), std::size_t(2));
    QTRY_COMPARE(page.feed().log(), logged);
    QVERIFY(same(before, plotted(page)));
}

void TestLivePage::headTellsWhatDecides() {
    StudioFixture fixture;
    LivePage page(fixture.studio);
    page.showRun("legal-qa");
    QTRY_VERIFY(isComplete(page));
    const auto& tiles = page.head().tiles();
    QTRY_COMPARE(tiles[0]->value(), QString("60 / 100"));
    QCOMPARE(tiles[1]->value(), QString("6–7 min"));
    QCOMPARE(tiles[2]->value(), QString("1.25 USD"));
    QVERIFY(tiles[2]->note().contains("2.10 USD"));
    QCOMPARE(tiles[4]->value(), QString("1.412"));
    QVERIFY(tiles[4]->note().contains("base 1.710"));
    QCOMPARE(tiles[5]->value(), QString("2,310"));
    QCOMPARE(tiles[6]->value(), QString("step 20"));
    QVERIFY(tiles[6]->note().contains("40 steps"));
}

void TestLivePage::gaugesShowTheHost() {
    StudioFixture fixture;
    LivePage page(fixture.studio);
    page.showRun("legal-qa");
    QTRY_VERIFY(!page.feed().telemetry().empty());
    const auto& gauges = page.gauges().gauges();
    QCOMPARE(gauges[0]->value(), QString("97 %"));
    QCOMPARE(gauges[1]->value(), QString("2.9 / 22.4 GiB"));
    QCOMPARE(gauges[2]->value(), text::dash); // not measured is a dash, not zero
    QVERIFY(gauges[3]->value().contains("0 B/s read"));
    QVERIFY(gauges[3]->value().contains(text::dash));
}

void TestLivePage::tabsShowTheRest() {
    StudioFixture fixture;
    LivePage page(fixture.studio);
    page.showRun("legal-qa");
    QTRY_VERIFY(isComplete(page));
    auto& tabs = page.tabs();
    QTRY_COMPARE(tabs.checkpoints().rowCount(), 2);
    tabs.setCurrentIndex(0);
    QVERIFY(tabs.markdown().contains("loading model"));
    tabs.setCurrentIndex(1);
    QVERIFY(tabs.markdown().contains("[MPL-2.0 §3.2]"));
    tabs.setCurrentIndex(2);
    QVERIFY(tabs.markdown().contains("best"));
    tabs.setCurrentIndex(3);
    QVERIFY(tabs.markdown().contains("| lora.rank | 64 | 16 |"));
    tabs.setCurrentIndex(4);
    QVERIFY(tabs.markdown().contains("continues after step 20"));
}

void TestLivePage::buttonsControlTheRun() {
    StudioFixture fixture;
    LivePage page(fixture.studio);
    page.showRun("legal-qa");
    QTRY_VERIFY(isComplete(page));
    const auto button = [&](const QString& text) {
        const auto buttons = page.head().findChildren<QPushButton*>();
        return *std::find_if(buttons.begin(), buttons.end(),
                             [&](QPushButton* b) { return b->text() == text; });
    };
    QTRY_VERIFY(button("Save now")->isEnabled() && button("Pause")->isEnabled() &&
                button("Stop")->isEnabled());
    QVERIFY(button("Resume")->isHidden());
    button("Save now")->click();
    button("Pause")->click();
    button("Stop")->click();
    QTRY_COMPARE(fixture.requests("stop").size(), std::size_t(1));
    QCOMPARE(fixture.requests("save").size(), std::size_t(1));
    QCOMPARE(fixture.requests("pause")[0]["run"].get<std::string>(), std::string("legal-qa"));
}

void TestLivePage::anotherRunReplacesEverything() {
    StudioFixture fixture;
    LivePage page(fixture.studio);
    page.showRun("legal-qa");
    QTRY_VERIFY(isComplete(page));
    page.showRun("smol-licences");
    QCOMPARE(page.feed().history().steps().size(), 0);
    QVERIFY(!page.feed().summary());
    QTRY_VERIFY(isComplete(page));
    QTRY_COMPARE(fixture.requests("unfollow").size(), std::size_t(1));
}

QTEST_MAIN(TestLivePage)
#include "test_live_page.moc"
