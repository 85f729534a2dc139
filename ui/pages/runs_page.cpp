#include "ui/pages/runs_page.h"

#include "ui/client/text.h"
#include "ui/models/number_text.h"
#include "ui/models/table_markdown.h"
#include "ui/pages/status_delegate.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>
#include <QShortcut>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace anneal {

namespace {

struct StatusChoice {
    const char* text;
    std::set<RunStatus> statuses;
};

const std::vector<StatusChoice>& statusChoices() {
    static const std::vector<StatusChoice> choices{
        {"All", {}},
        {"Active", {RunStatus::Preparing, RunStatus::Running, RunStatus::Paused, RunStatus::Stopping}},
        {"Queued", {RunStatus::Queued}},
        {"Finished", {RunStatus::Finished}},
        {"Stopped", {RunStatus::Stopped, RunStatus::Interrupted}},
        {"Failed", {RunStatus::Failed}},
    };
    return choices;
}

bool canResume(RunStatus status) {
    return status == RunStatus::Paused || status == RunStatus::Stopped || status == RunStatus::Interrupted ||
           status == RunStatus::Failed;
}

bool shownAtFirst(int column) {
    return column != RunListModel::BaseValidation && column != RunListModel::Model &&
           column != RunListModel::Tags && column != RunListModel::Duration;
}

} // namespace

RunsPage::RunsPage(Studio& studio, QWidget* parent)
    : Page(studio, parent), proxy_(new RunFilterModel(this)), table_(new QTableView(this)),
      preview_(new RunPreview(studio, this)), filter_(new QLineEdit(this)), status_(new QComboBox(this)),
      counts_(mutedLabel({}, this)), notice_(new NoticeLine(this)), stack_(new QStackedWidget(this)),
      empty_(new EmptyState("No runs yet",
                            "A run is one fine-tune: its settings, curves, checkpoints and log. It lives on "
                            "when this window is closed.",
                            this)) {
    proxy_->setSourceModel(&studio.runs);
    table_->setModel(proxy_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    layout->addLayout(makeHead());
    layout->addWidget(notice_);
    layout->addWidget(stack_, 1);
    stack_->addWidget(makeBody());
    stack_->addWidget(empty_);
    connect(empty_->addButton("New run", true), &QPushButton::clicked, this, &RunsPage::newRunWanted);
    connect(empty_->addButton("Open configuration…"), &QPushButton::clicked, this,
            &RunsPage::openConfigurationWanted);
    connect(&studio.runs, &RunListModel::changed, this, &RunsPage::onRunsChanged);
    onRunsChanged();
}

QLayout* RunsPage::makeHead() {
    filter_->setPlaceholderText("Filter by name, model or tag");
    filter_->setClearButtonEnabled(true);
    filter_->setAccessibleName("Filter");
    filter_->setMaximumWidth(320);
    connect(filter_, &QLineEdit::textChanged, proxy_, &RunFilterModel::setWords);
    for (const auto& choice : statusChoices())
        status_->addItem(choice.text);
    status_->setAccessibleName("Status");
    connect(status_, &QComboBox::currentIndexChanged, this, [this](int index) {
        proxy_->setStatuses(statusChoices()[static_cast<std::size_t>(index)].statuses);
    });
    auto* columns = new QToolButton(this);
    columns->setText("Columns");
    columns->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(columns);
    makeColumnsMenu(menu);
    columns->setMenu(menu);
    auto* open = new QPushButton("Open configuration…", this);
    connect(open, &QPushButton::clicked, this, &RunsPage::openConfigurationWanted);
    auto* create = primaryButton("New run", this);
    connect(create, &QPushButton::clicked, this, &RunsPage::newRunWanted);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(pageTitle("Runs", this));
    head->addSpacing(12);
    head->addWidget(filter_, 1);
    head->addWidget(status_);
    head->addWidget(columns);
    head->addWidget(counts_);
    head->addStretch(1);
    head->addWidget(open);
    head->addWidget(create);
    return head;
}

void RunsPage::makeColumnsMenu(QMenu* menu) {
    QSettings settings;
    for (int column = RunListModel::Status; column < RunListModel::ColumnCount; ++column) {
        const auto title = studio_.runs.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const auto key = "runs_columns/" + QString::number(column);
        const bool shown = settings.value(key, shownAtFirst(column)).toBool();
        table_->setColumnHidden(column, !shown);
        auto* action = menu->addAction(title);
        action->setCheckable(true);
        action->setChecked(shown);
        connect(action, &QAction::toggled, this, [this, column, key](bool on) {
            table_->setColumnHidden(column, !on);
            QSettings().setValue(key, on);
        });
    }
}

QWidget* RunsPage::makeBody() {
    setUpTable(*table_, "Runs");
    table_->setItemDelegateForColumn(RunListModel::Status, new StatusDelegate(table_));
    table_->setSortingEnabled(true);
    table_->sortByColumn(RunListModel::Created, Qt::DescendingOrder);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table_, &QWidget::customContextMenuRequested, this, &RunsPage::showContextMenu);
    connect(table_, &QTableView::activated, this, [this] { Q_EMIT runOpened(selectedRun()); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] { preview_->showRun(selectedRun()); });
    auto* remove = new QShortcut(QKeySequence::Delete, table_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, [this] { deleteRun(selectedRun()); });
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(table_);
    splitter->addWidget(preview_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

QString RunsPage::selectedRun() const { return table_->currentIndex().data(RunListModel::IdRole).toString(); }

void RunsPage::select(const QString& run) {
    for (int row = 0; row < proxy_->rowCount(); ++row)
        if (proxy_->index(row, 0).data(RunListModel::IdRole).toString() == run)
            return table_->setCurrentIndex(proxy_->index(row, 0));
}

void RunsPage::onRunsChanged() {
    const bool any = studio_.runs.rowCount() > 0;
    stack_->setCurrentIndex(any || !studio_.runs.loaded() ? 0 : 1);
    preview_->setVisible(any);
    const int active = studio_.runs.activeCount();
    counts_->setText(active > 0 ? QString("%1 running").arg(active) : QString());
    if (!any)
        return;
    static const QList<int> fitted{RunListModel::Name,     RunListModel::Status, RunListModel::Step,
                                   RunListModel::TimeLeft, RunListModel::Cost,   RunListModel::Created};
    if (!table_->currentIndex().isValid()) {
        for (const int column : fitted)
            table_->resizeColumnToContents(column);
        table_->setColumnWidth(RunListModel::Name,
                               std::max(180, table_->columnWidth(RunListModel::Name) + 24));
        table_->setCurrentIndex(proxy_->index(0, 0));
    }
}

QString RunsPage::markdown() {
    QList<int> columns;
    for (int column = 0; column < RunListModel::ColumnCount; ++column)
        if (!table_->isColumnHidden(column))
            columns << column;
    return tableMarkdown(*proxy_, columns);
}

void RunsPage::showContextMenu(const QPoint& place) {
    const auto id = selectedRun();
    const auto* run = studio_.runs.find(id);
    if (!run)
        return;
    QMenu menu;
    menu.addAction("Open", this, [&] { Q_EMIT runOpened(id); });
    menu.addAction("New run with these settings", this, [&] { Q_EMIT copyWanted(id); });
    menu.addSeparator();
    if (canResume(run->status))
        menu.addAction("Resume", this, [&] { control("resume", id); });
    if (run->status == RunStatus::Running)
        menu.addAction("Pause", this, [&] { control("pause", id); });
    if (isActive(run->status))
        menu.addAction("Stop", this, [&] { control("stop", id); });
    else
        menu.addAction("Delete…", this, [&] { deleteRun(id); });
    menu.addSeparator();
    menu.addAction("Copy folder path", this, [&] { copyText(toQt(run->folder)); });
    menu.addAction("Copy list as Markdown", this, [&] { copyText(markdown()); });
    menu.exec(table_->viewport()->mapToGlobal(place));
}

void RunsPage::control(const char* method, const QString& run) {
    notice_->clearNotice();
    studio_.client.request(method, {{"run", toStd(run)}}, this, [this, run](Result<Json> result) {
        if (!result)
            return notice_->showError(result.error());
        Q_EMIT said(run + ": " + toQt(result->value("outcome", std::string("accepted"))));
    });
}

void RunsPage::deleteRun(const QString& id) {
    const auto* run = studio_.runs.find(id);
    if (!run || isActive(run->status))
        return;
    const auto question =
        QString("Delete the run %1 with its curves, log and checkpoints?\n\n%2 steps of training are "
                "lost, and cannot be brought back.")
            .arg(id, text::count(run->step));
    QMessageBox box(QMessageBox::Warning, "Delete run", question, QMessageBox::Cancel, this);
    auto* yes = box.addButton("Delete", QMessageBox::DestructiveRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() == yes)
        control("delete", id);
}

} // namespace anneal
