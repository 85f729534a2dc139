#include "ui/shell/main_window.h"

#include "ui/client/text.h"
#include "ui/models/colors.h"
#include "ui/models/number_text.h"
#include "ui/pages/data_page.h"
#include "ui/pages/live_page.h"
#include "ui/pages/new_run_page.h"
#include "ui/pages/playground_page.h"
#include "ui/pages/preferences_page.h"
#include "ui/pages/runs_page.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/connection_banner.h"
#include "ui/shell/export_dialog.h"
#include "ui/shell/icons.h"
#include "ui/shell/main_menu.h"
#include "ui/shell/window_memory.h"

#include <QAction>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QSettings>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>

namespace anneal {

namespace {

constexpr const char* pageKey = "page";
constexpr int messageMs = 6000;

struct PageRow {
    const char *title, *icon;
};
constexpr std::array<PageRow, static_cast<std::size_t>(PageId::Count)> pageRows{
    {{"Runs", "runs"},
     {"New run", "new-run"},
     {"Data", "data"},
     {"Live run", "live"},
     {"Playground", "playground"},
     {"Preferences", "preferences"}}};

QString machineDetails(const Json& machine) {
    QStringList lines;
    const auto gpus = machine.value("gpus", Json::array());
    if (!gpus.empty())
        lines << QString("%1 GPU%2").arg(gpus.size()).arg(gpus.size() == 1 ? "" : "s");
    if (const auto cores = machine.value("cores", 0); cores > 0)
        lines << QString("%1 cores").arg(cores);
    if (machine.contains("memory"))
        lines << text::bytes(numberFromJson(machine["memory"]));
    return lines.join(", ");
}

} // namespace

QString pageTitleOf(PageId page) { return pageRows[static_cast<std::size_t>(page)].title; }

std::optional<PageId> pageFromName(const QString& name) {
    for (int i = 0; i < static_cast<int>(PageId::Count); ++i)
        if (pageTitleOf(static_cast<PageId>(i)).toLower().replace(' ', '-') == name ||
            pageRows[i].icon == name)
            return static_cast<PageId>(i);
    return std::nullopt;
}

MainWindow::MainWindow(ServeClient& client, Preferences& preferences, QWidget* parent)
    : QMainWindow(parent), studio_{client, runs_, preferences}, rail_(new NavigationRail(this)),
      stack_(new QStackedWidget(this)), connection_(new QLabel(this)) {
    setWindowTitle("Anneal");
    setMinimumSize(900, 600);
    for (const auto& row : pageRows)
        rail_->addPage(row.title, row.icon);
    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(new ConnectionBanner(client, this));
    column->addWidget(stack_, 1);
    auto* row = new QHBoxLayout(content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(rail_);
    row->addLayout(column, 1);
    setCentralWidget(content);
    statusBar()->addPermanentWidget(connection_);
    statusBar()->setSizeGripEnabled(false);
    actions_ = buildMenus(*this);
    connect(rail_, &NavigationRail::chosen, this,
            [this](int index) { showPage(static_cast<PageId>(index)); });
    connect(&client, &ServeClient::stateChanged, this, &MainWindow::refreshConnection);
    connect(&runs_, &RunListModel::changed, this, &MainWindow::refreshBadges);
    refreshConnection();
    runs_.follow(client);
    restoreWindow(*this);
    const int last = QSettings().value(pageKey, 0).toInt();
    showPage(static_cast<PageId>(std::clamp(last, 0, static_cast<int>(PageId::Count) - 1)));
}

MainWindow::~MainWindow() = default;

Page* MainWindow::page(PageId id) {
    auto*& made = pages_[static_cast<std::size_t>(id)];
    if (made)
        return made;
    made = makePage(id);
    stack_->addWidget(made);
    connect(made, &Page::said, this, &MainWindow::say);
    made->setTableView(tableView_);
    return made;
}

Page* MainWindow::makePage(PageId id) {
    switch (id) {
    case PageId::Runs: return makeRunsPage();
    case PageId::NewRun: return makeNewRunPage();
    case PageId::Data: return makeDataPage();
    case PageId::Live: return makeLivePage();
    case PageId::Playground: return makePlaygroundPage();
    default: return new PreferencesPage(studio_, this);
    }
}

Page* MainWindow::makeRunsPage() {
    auto* made = new RunsPage(studio_, this);
    connect(made, &RunsPage::runOpened, this, &MainWindow::openRun);
    connect(made, &RunsPage::newRunWanted, this, [this] { showPage(PageId::NewRun); });
    connect(made, &RunsPage::openConfigurationWanted, this, &MainWindow::openConfiguration);
    connect(made, &RunsPage::copyWanted, this, &MainWindow::copyRun);
    return made;
}

Page* MainWindow::makeNewRunPage() {
    auto* made = new NewRunPage(studio_, this);
    connect(made, &NewRunPage::runStarted, this, [this](const QString& run) {
        say("Started " + run);
        openRun(run);
    });
    connect(made, &NewRunPage::rowsWanted, this, [this] { showPage(PageId::Data); });
    connect(made, &NewRunPage::configChanged, this, [this, made] {
        if (auto* data = static_cast<DataPage*>(pages_[static_cast<std::size_t>(PageId::Data)]))
            data->setConfig(made->config());
    });
    return made;
}

Page* MainWindow::makeDataPage() {
    auto* made = new DataPage(studio_, this);
    made->setConfig(newRunPage().config());
    connect(made, &DataPage::configurationWanted, this, [this] { showPage(PageId::NewRun); });
    return made;
}

Page* MainWindow::makeLivePage() {
    auto* made = new LivePage(studio_, this);
    connect(made, &LivePage::newRunWanted, this, [this] { showPage(PageId::NewRun); });
    connect(made, &LivePage::copyWanted, this, &MainWindow::copyRun);
    connect(made, &LivePage::exportWanted, this, &MainWindow::exportFrom);
    connect(made, &LivePage::playgroundWanted, this, [this](const QString& run, const QString& checkpoint) {
        playgroundPage().choose(run, checkpoint);
        showPage(PageId::Playground);
    });
    return made;
}

Page* MainWindow::makePlaygroundPage() { return new PlaygroundPage(studio_, this); }

NewRunPage& MainWindow::newRunPage() { return *static_cast<NewRunPage*>(page(PageId::NewRun)); }
DataPage& MainWindow::dataPage() { return *static_cast<DataPage*>(page(PageId::Data)); }
LivePage& MainWindow::livePage() { return *static_cast<LivePage*>(page(PageId::Live)); }
RunsPage& MainWindow::runsPage() { return *static_cast<RunsPage*>(page(PageId::Runs)); }
PlaygroundPage& MainWindow::playgroundPage() {
    return *static_cast<PlaygroundPage*>(page(PageId::Playground));
}

void MainWindow::showPage(PageId id) {
    if (rail_->current() != static_cast<int>(id))
        return rail_->setCurrent(static_cast<int>(id)); // comes back here
    stack_->setCurrentWidget(page(id));
    setWindowTitle("Anneal – " + pageTitleOf(id));
}

void MainWindow::openFile(const QString& path) {
    newRunPage().openFile(path);
    showPage(PageId::NewRun);
}

void MainWindow::openRun(const QString& run) {
    if (run.isEmpty())
        return;
    livePage().showRun(run);
    showPage(PageId::Live);
}

void MainWindow::copyRun(const QString& run) {
    newRunPage().copyRun(run);
    showPage(PageId::NewRun);
}

void MainWindow::openConfiguration() {
    showPage(PageId::NewRun);
    newRunPage().askOpenFile();
}

void MainWindow::saveConfiguration() { newRunPage().askSaveFile(); }

bool MainWindow::canStart() { return newRunPage().canStart(); }

void MainWindow::startOrGenerate() {
    if (currentPage() == PageId::Playground)
        return playgroundPage().generate();
    if (currentPage() != PageId::NewRun)
        return showPage(PageId::NewRun);
    newRunPage().start();
}

const RunSummary* MainWindow::currentRun() {
    if (currentPage() == PageId::Runs)
        return runs_.find(runsPage().selectedRun());
    const auto* live = static_cast<LivePage*>(pages_[static_cast<std::size_t>(PageId::Live)]);
    return live ? runs_.find(live->run()) : nullptr;
}

void MainWindow::control(const char* method) {
    const auto* run = currentRun();
    if (!run)
        return say("No run is selected.");
    const auto id = toQt(run->id);
    studio_.client.request(method, {{"run", run->id}}, this, [this, id](Result<Json> result) {
        say(id + ": " +
            (result ? toQt(result->value("outcome", std::string("accepted"))) : toQt(result.error().text())));
    });
}

void MainWindow::exportAdapter() {
    const auto* run = currentRun();
    if (!run)
        return say("No run is selected: open one in Live run, or select one in Runs.");
    exportFrom(toQt(run->id), "best");
}

void MainWindow::exportFrom(const QString& run, const QString& checkpoint) {
    ExportDialog(studio_, run, checkpoint, this).exec();
}

void MainWindow::openRunFolder() {
    if (const auto* run = currentRun())
        QDesktopServices::openUrl(QUrl::fromLocalFile(toQt(run->folder)));
}

void MainWindow::showPalette() {
    std::vector<PaletteEntry> entries;
    for (auto* action : actions_)
        entries.push_back({"Command",
                           action->text().remove('&'),
                           action->shortcut().toString(QKeySequence::NativeText),
                           {},
                           [action] { action->trigger(); }});
    for (const auto& run : runs_.runs()) {
        const auto id = toQt(run.id);
        entries.push_back({"Run", id, statusText(run.status), toQt(run.name + " " + run.model),
                           [this, id] { openRun(id); }});
    }
    for (const auto& field : fieldTable()) {
        QString names;
        for (const auto& alias : field.aliases)
            names += " " + toQt(alias);
        entries.push_back(
            {"Setting", toQt(field.label), toQt(field.key), toQt(field.help) + names, [this, &field] {
                 showPage(PageId::NewRun);
                 newRunPage().form().reveal(toQt(field.key));
             }});
    }
    auto* palette = new CommandPalette(std::move(entries), this);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, 70)));
    palette->show();
}

void MainWindow::focusSearch() {
    if (auto* control = page(currentPage())->firstControl())
        control->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::setTableView(bool on) {
    tableView_ = on;
    for (auto* made : pages_)
        if (made)
            made->setTableView(on);
}

void MainWindow::copyPage() {
    const auto text = page(currentPage())->markdown();
    if (text.isEmpty())
        return say("There is nothing to copy on this page.");
    copyText(text);
    say("Copied as Markdown");
}

void MainWindow::say(const QString& text) { statusBar()->showMessage(text, messageMs); }

void MainWindow::refreshConnection() {
    const auto host = studio_.client.host().isEmpty() ? QString("this machine") : studio_.client.host();
    switch (studio_.client.state()) {
    case ServeClient::State::Ready: connection_->setText("Connected to " + host + " "); return askMachine();
    case ServeClient::State::Waiting:
    case ServeClient::State::Failed: return connection_->setText("Not connected to " + host + " ");
    case ServeClient::State::Starting:
    case ServeClient::State::Idle: return connection_->setText("Connecting to " + host + " ");
    }
}

void MainWindow::askMachine() {
    studio_.client.request("machine", Json::object(), this, [this](Result<Json> result) {
        if (result)
            rail_->setMachine(toQt(result->value("host", std::string("this machine"))),
                              machineDetails(*result));
    });
}

void MainWindow::refreshBadges() {
    const int active = runs_.activeCount();
    rail_->setBadge(static_cast<int>(PageId::Runs), active > 0 ? QString::number(active) : QString());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    rememberWindow(*this);
    QSettings().setValue(pageKey, static_cast<int>(currentPage()));
    event->accept();
}

} // namespace anneal
