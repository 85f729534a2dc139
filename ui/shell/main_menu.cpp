#include "ui/shell/main_menu.h"

#include "core/base/system.h"
#include "ui/client/text.h"
#include "ui/shell/about_dialog.h"
#include "ui/shell/main_window.h"

#include <QActionGroup>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QMenuBar>
#include <QUrl>

namespace anneal {

namespace {

/// Builds the menus of one window.
class MenuBuilder {
public:
    explicit MenuBuilder(MainWindow& window) : window_(window) {}

    QList<QAction*> build() {
        fileMenu();
        runMenu();
        viewMenu();
        helpMenu();
        return actions_;
    }

private:
    template <class Function>
    QAction* add(QMenu& menu, const QString& text, const QKeySequence& keys, Function&& function) {
        auto* action = menu.addAction(text);
        action->setShortcut(keys);
        QObject::connect(action, &QAction::triggered, &window_, std::forward<Function>(function));
        actions_ << action;
        return action;
    }

    void fileMenu() {
        auto& menu = *window_.menuBar()->addMenu("&File");
        add(menu, "&New run", QKeySequence::New, [this] { window_.showPage(PageId::NewRun); });
        add(menu, "&Open configuration…", QKeySequence::Open, [this] { window_.openConfiguration(); });
        add(menu, "Save configuration &as…", QKeySequence::Save, [this] { window_.saveConfiguration(); });
        menu.addSeparator();
        add(menu, "&Quit", QKeySequence::Quit, [this] { window_.close(); });
    }

    /// Which of these can be done depends on the run, so the menu asks when it opens.
    void runMenu() {
        auto& menu = *window_.menuBar()->addMenu("&Run");
        auto* start = add(menu, "&Start", QKeySequence("Ctrl+Return"), [this] { window_.startOrGenerate(); });
        menu.addSeparator();
        auto* pause = add(menu, "&Pause", {}, [this] { window_.control("pause"); });
        auto* resume = add(menu, "&Resume", {}, [this] { window_.control("resume"); });
        auto* save = add(menu, "Save a &checkpoint now", {}, [this] { window_.control("save"); });
        auto* stop = add(menu, "S&top", {}, [this] { window_.control("stop"); });
        menu.addSeparator();
        auto* exportAction =
            add(menu, "&Export adapter…", QKeySequence("Ctrl+E"), [this] { window_.exportAdapter(); });
        auto* folder = add(menu, "Open run &folder", {}, [this] { window_.openRunFolder(); });
        const auto refresh = [this, start, pause, resume, save, stop, exportAction, folder] {
            const auto* run = window_.currentRun();
            const auto status = run ? run->status : RunStatus::Queued;
            start->setEnabled(window_.canStart());
            pause->setEnabled(run && status == RunStatus::Running);
            resume->setEnabled(run && (status == RunStatus::Paused || status == RunStatus::Stopped ||
                                       status == RunStatus::Interrupted || status == RunStatus::Failed));
            save->setEnabled(run && (status == RunStatus::Running || status == RunStatus::Paused));
            stop->setEnabled(run && isActive(status));
            exportAction->setEnabled(run);
            folder->setEnabled(run && window_.studio().local());
        };
        QObject::connect(&menu, &QMenu::aboutToShow, &window_, refresh);
        // A disabled action's shortcut would be dead until the menu is opened again.
        QObject::connect(&menu, &QMenu::aboutToHide, &window_, [&menu] {
            for (auto* action : menu.actions())
                action->setEnabled(true);
        });
    }

    void viewMenu() {
        auto& menu = *window_.menuBar()->addMenu("&View");
        for (int i = 0; i < static_cast<int>(PageId::Count); ++i)
            add(menu, pageTitleOf(static_cast<PageId>(i)), QKeySequence(QString("Ctrl+%1").arg(i + 1)),
                [this, i] { window_.showPage(static_cast<PageId>(i)); });
        menu.addSeparator();
        add(menu, "&Find anything…", QKeySequence("Ctrl+K"), [this] { window_.showPalette(); });
        add(menu, "Find on this &page", QKeySequence::Find, [this] { window_.focusSearch(); });
        themeMenu(menu);
        auto* table = add(menu, "&Table view", QKeySequence("Ctrl+T"), [] {});
        table->setCheckable(true);
        QObject::connect(table, &QAction::toggled, &window_, &MainWindow::setTableView);
        add(menu, "&Copy page as Markdown", QKeySequence("Ctrl+Shift+C"), [this] { window_.copyPage(); });
    }

    void themeMenu(QMenu& parent) {
        auto& menu = *parent.addMenu("T&heme");
        auto* group = new QActionGroup(&window_);
        auto& preferences = window_.studio().preferences;
        const QStringList names{"As the system", "Light", "Dark"};
        for (int i = 0; i < names.size(); ++i) {
            auto* action = add(menu, names[i], {},
                               [&preferences, i] { preferences.setTheme(static_cast<ThemeChoice>(i)); });
            action->setCheckable(true);
            action->setActionGroup(group);
            action->setChecked(static_cast<int>(preferences.theme()) == i);
            QObject::connect(&preferences, &Preferences::themeChanged, action, [&preferences, action, i] {
                action->setChecked(static_cast<int>(preferences.theme()) == i);
            });
        }
    }

    void helpMenu() {
        auto& menu = *window_.menuBar()->addMenu("&Help");
        add(menu, "&Manual", QKeySequence::HelpContents, [this] { openManual(); });
        add(menu, "&Keyboard shortcuts", {}, [this] { showShortcuts(&window_); });
        menu.addSeparator();
        add(menu, "&About Anneal", {}, [this] { showAbout(&window_); });
    }

    void openManual() {
        const auto program = QDir(toQt(programFolder().string()));
        for (const auto* place :
             {"../share/doc/anneal/README.md", "../../../README.md", "../../README.md", "../README.md"})
            if (const QFileInfo file(program.filePath(place)); file.isFile()) {
                QDesktopServices::openUrl(QUrl::fromLocalFile(file.canonicalFilePath()));
                return;
            }
        window_.say("The manual was not found beside the program; it is README.md of the sources.");
    }

    MainWindow& window_;
    QList<QAction*> actions_;
};

} // namespace

QList<QAction*> buildMenus(MainWindow& window) { return MenuBuilder(window).build(); }

} // namespace anneal
