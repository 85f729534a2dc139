#include "tests/pages/studio_fixture.h"
#include "ui/models/colors.h"
#include "ui/pages/live_page.h"
#include "ui/pages/new_run_page.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/connection_banner.h"
#include "ui/shell/export_dialog.h"
#include "ui/shell/main_window.h"
#include "ui/shell/theme.h"

#include <QMenuBar>
#include <QTest>

using namespace anneal;

class TestMainWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsEveryPageInBothThemes();
    void opensFileAndStartsIntoLivePage();
    void remembersThePage();
    void paletteFindsSettingsRunsAndCommands();
    void bannerSpeaksWhileDisconnected();
    void exportGoesThroughServe();
    void menusAreComplete();
};

void TestMainWindow::showsEveryPageInBothThemes() {
    StudioFixture fixture;
    MainWindow window(fixture.client, fixture.preferences);
    window.show();
    for (const auto theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
        applyTheme(*qApp, theme);
        QTRY_COMPARE(Colors::of(window.palette()).dark, theme == ThemeChoice::Dark);
        for (int page = 0; page < static_cast<int>(PageId::Count); ++page) {
            window.showPage(static_cast<PageId>(page));
            QCOMPARE(static_cast<int>(window.currentPage()), page);
            QVERIFY(window.windowTitle().contains(pageTitleOf(static_cast<PageId>(page))));
            QVERIFY(!window.grab().isNull());
        }
    }
    QCOMPARE(pageFromName("new-run"), std::optional(PageId::NewRun));
    QVERIFY(!pageFromName("nowhere"));
}

void TestMainWindow::opensFileAndStartsIntoLivePage() {
    StudioFixture fixture;
    MainWindow window(fixture.client, fixture.preferences);
    window.openFile("/some/recipe.yaml");
    QCOMPARE(window.currentPage(), PageId::NewRun);
    QTRY_COMPARE(window.newRunPage().config().name, std::string("legal-qa"));
    Q_EMIT window.newRunPage().runStarted("legal-qa");
    QCOMPARE(window.currentPage(), PageId::Live);
    QCOMPARE(window.livePage().run(), QString("legal-qa"));
}

void TestMainWindow::remembersThePage() {
    StudioFixture fixture;
    {
        MainWindow window(fixture.client, fixture.preferences);
        window.show();
        window.showPage(PageId::Data);
        window.close();
    }
    MainWindow window(fixture.client, fixture.preferences);
    QCOMPARE(window.currentPage(), PageId::Data);
}

void TestMainWindow::paletteFindsSettingsRunsAndCommands() {
    bool ran = false;
    std::vector<PaletteEntry> entries{{"Command", "New run", "Ctrl+N", "", [] {}},
                                      {"Setting", "Rank", "lora.rank", "lora_r peft", [&] { ran = true; }},
                                      {"Run", "legal-qa", "training", "", [] {}}};
    QVERIFY(paletteScore(entries[0], {"new"}) > paletteScore(entries[1], {"lora"}));
    QCOMPARE(paletteScore(entries[0], {"lora"}), 0);
    CommandPalette palette(entries, nullptr);
    QCOMPARE(palette.list().count(), 3);
    palette.input().setText("lora_r");
    QCOMPARE(palette.list().count(), 1);
    QTest::keyClick(&palette.input(), Qt::Key_Return);
    QVERIFY(ran);
}

void TestMainWindow::bannerSpeaksWhileDisconnected() {
    StudioFixture fixture;
    ConnectionBanner banner(fixture.client);
    QTRY_COMPARE(fixture.client.state(), ServeClient::State::Ready);
    QVERIFY(banner.isHidden());
    fixture.client.request("crash", Json::object(), this, {});
    QTRY_VERIFY(!banner.isHidden());
    QTRY_COMPARE(fixture.client.state(), ServeClient::State::Ready);
    QVERIFY(banner.isHidden());
}

void TestMainWindow::exportGoesThroughServe() {
    StudioFixture fixture;
    ExportDialog dialog(fixture.studio, "legal-qa", "40");
    dialog.setFolder("/tmp/adapter");
    QTRY_VERIFY(!fixture.requests("checkpoints").empty());
    QTest::qWait(50);
    dialog.startExport();
    QTRY_VERIFY(dialog.finished());
    const auto request = fixture.requests("export").at(0);
    QCOMPARE(request["checkpoint"].get<std::string>(), std::string("40"));
    QCOMPARE(request["format"].get<std::string>(), std::string("peft"));
    QCOMPARE(request["output"].get<std::string>(), std::string("/tmp/adapter"));
    QVERIFY(dialog.resultText().contains("adapter_model.safetensors"));
}

void TestMainWindow::menusAreComplete() {
    StudioFixture fixture;
    MainWindow window(fixture.client, fixture.preferences);
    QStringList titles, texts;
    for (const auto* action : window.menuBar()->actions()) {
        titles << action->text().remove('&');
        for (const auto* item : action->menu()->actions())
            texts << item->text().remove('&');
    }
    QCOMPARE(titles, (QStringList{"File", "Run", "View", "Help"}));
    for (const auto* wanted :
         {"New run", "Open configuration…", "Save configuration as…", "Quit", "Start", "Pause", "Resume",
          "Stop", "Export adapter…", "Open run folder", "Manual", "Keyboard shortcuts", "About Anneal"})
        QVERIFY2(texts.contains(wanted), wanted);
}

QTEST_MAIN(TestMainWindow)
#include "test_main_window.moc"
