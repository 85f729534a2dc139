#pragma once
#include "ui/pages/studio.h"
#include "ui/shell/navigation_rail.h"

#include <QMainWindow>
#include <QStackedWidget>

#include <array>

namespace anneal {

class DataPage;
class LivePage;
class NewRunPage;
class Page;
class PlaygroundPage;
class RunsPage;

/// The pages in the order of the rail.
enum class PageId { Runs, NewRun, Data, Live, Playground, Preferences, Count };

QString pageTitleOf(PageId page);
/// By the title in lower case with dashes ("new-run"); nullopt for no page.
std::optional<PageId> pageFromName(const QString& name);

/// The window: rail, pages, menus, palette and status bar. Pages are made when they are first seen.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    MainWindow(ServeClient& client, Preferences& preferences, QWidget* parent = nullptr);
    ~MainWindow() override;

    Studio& studio() { return studio_; }
    void showPage(PageId page);
    PageId currentPage() const { return static_cast<PageId>(rail_->current()); }
    NewRunPage& newRunPage();
    DataPage& dataPage();
    LivePage& livePage();
    RunsPage& runsPage();
    PlaygroundPage& playgroundPage();

    /// Shows a configuration file in the form of a new run.
    void openFile(const QString& path);
    void openRun(const QString& run);
    void openConfiguration();
    void saveConfiguration();
    bool canStart();
    void startOrGenerate();
    /// The run that menus act on: the live one, or the one selected in the list.
    const RunSummary* currentRun();
    void control(const char* method);
    void exportAdapter();
    void openRunFolder();
    void showPalette();
    void focusSearch();
    void setTableView(bool on);
    void copyPage();
    void say(const QString& text);

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    Page* page(PageId id);
    Page* makePage(PageId id);
    Page* makeRunsPage();
    Page* makeNewRunPage();
    Page* makeDataPage();
    Page* makeLivePage();
    Page* makePlaygroundPage();
    void copyRun(const QString& run);
    void exportFrom(const QString& run, const QString& checkpoint);
    void refreshConnection();
    void refreshBadges();
    void askMachine();

    RunListModel runs_;
    Studio studio_;
    NavigationRail* rail_;
    QStackedWidget* stack_;
    std::array<Page*, static_cast<std::size_t>(PageId::Count)> pages_{};
    QList<QAction*> actions_;
    QLabel* connection_;
    bool tableView_ = false;
};

} // namespace anneal
