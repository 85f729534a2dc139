#include "ui/pages/live_tabs.h"

#include "ui/client/text.h"
#include "ui/models/number_text.h"
#include "ui/models/table_markdown.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

namespace anneal {

namespace {

QPlainTextEdit* readOnlyText(const QString& name, const QString& placeholder, QWidget* parent) {
    auto* edit = new QPlainTextEdit(parent);
    edit->setReadOnly(true);
    edit->setAccessibleName(name);
    edit->setPlaceholderText(placeholder);
    edit->setFrameShape(QFrame::NoFrame);
    return edit;
}

QVBoxLayout* tabLayout(QWidget* tab) {
    auto* layout = new QVBoxLayout(tab);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->setSpacing(6);
    return layout;
}

} // namespace

LiveTabs::LiveTabs(Studio& studio, RunFeed& feed, QWidget* parent)
    : QTabWidget(parent), studio_(studio), feed_(feed), checkpointModel_(new CheckpointModel(this)),
      settingModel_(new SettingModel(this)), eventModel_(new EventModel(this)) {
    setDocumentMode(true);
    addTab(makeLog(), "Log");
    addTab(makeSamples(), "Samples");
    addTab(makeCheckpoints(), "Checkpoints");
    addTab(makeConfiguration(), "Configuration");
    addTab(makeEvents(), "Events");
    connect(&feed_, &RunFeed::historyChanged, this, &LiveTabs::refreshHistory);
    connect(&feed_, &RunFeed::logAppended, this, &LiveTabs::appendLog);
    connect(&feed_, &RunFeed::logCleared, this, &LiveTabs::refreshLog);
    connect(&feed_, &RunFeed::runChanged, this, [this] {
        refreshLog();
        refreshCheckpoints();
    });
    connect(&feed_, &RunFeed::configChanged, this, [this] {
        settingModel_->setConfig(
            configFromJson(feed_.config().is_object() ? feed_.config() : Json::object()).config);
    });
}

QWidget* LiveTabs::makeLog() {
    auto* tab = new QWidget(this);
    logFilter_ = new QLineEdit(tab);
    logFilter_->setPlaceholderText("Lines that contain");
    logFilter_->setClearButtonEnabled(true);
    logFilter_->setAccessibleName("Filter the log");
    logFilter_->setMaximumWidth(280);
    log_ = readOnlyText("Log", "The run has written nothing yet.", tab);
    log_->setFont(fixedFont());
    log_->setLineWrapMode(QPlainTextEdit::NoWrap);
    log_->setMaximumBlockCount(5000);
    connect(logFilter_, &QLineEdit::textChanged, this, &LiveTabs::refreshLog);
    auto* layout = tabLayout(tab);
    layout->addWidget(logFilter_);
    layout->addWidget(log_, 1);
    return tab;
}

QWidget* LiveTabs::makeSamples() {
    auto* splitter = new QSplitter(this);
    prompts_ = new QListWidget(splitter);
    prompts_->setAccessibleName("Prompts");
    prompts_->setFrameShape(QFrame::NoFrame);
    samples_ = readOnlyText(
        "Answers",
        "Answers to the sample prompts appear at each evaluation. Prompts are set in New run, section "
        "Evaluation.",
        splitter);
    splitter->setSizes({300, 700});
    connect(prompts_, &QListWidget::currentRowChanged, this, &LiveTabs::showSamplesOf);
    return splitter;
}

QWidget* LiveTabs::makeCheckpoints() {
    auto* tab = new QWidget(this);
    checkpointTable_ = new QTableView(tab);
    setUpTable(*checkpointTable_, "Checkpoints");
    checkpointTable_->setFrameShape(QFrame::NoFrame);
    checkpointTable_->setModel(checkpointModel_);
    checkpointTable_->horizontalHeader()->setStretchLastSection(true);
    checkpointTable_->setColumnWidth(CheckpointModel::ValidationLoss, 130);
    auto* exportButton = new QPushButton("Export adapter…", tab);
    auto* playground = new QPushButton("Try in the playground", tab);
    connect(exportButton, &QPushButton::clicked, this, [this] { Q_EMIT exportWanted(selectedCheckpoint()); });
    connect(playground, &QPushButton::clicked, this,
            [this] { Q_EMIT playgroundWanted(selectedCheckpoint()); });
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(exportButton);
    buttons->addWidget(playground);
    buttons->addStretch();
    auto* layout = tabLayout(tab);
    layout->addLayout(buttons);
    layout->addWidget(checkpointTable_, 1);
    return tab;
}

QWidget* LiveTabs::makeConfiguration() {
    auto* tab = new QWidget(this);
    settingTable_ = new QTableView(tab);
    setUpTable(*settingTable_, "Configuration of this run");
    settingTable_->setFrameShape(QFrame::NoFrame);
    settingTable_->setModel(settingModel_);
    settingTable_->setColumnWidth(SettingModel::Key, 280);
    settingTable_->setColumnWidth(SettingModel::Value, 360);
    settingTable_->horizontalHeader()->setStretchLastSection(true);
    auto* only = new QCheckBox("Only what differs from the defaults", tab);
    connect(only, &QCheckBox::toggled, settingModel_, &SettingModel::setOnlyChanged);
    auto* copy = new QPushButton("New run with these settings", tab);
    connect(copy, &QPushButton::clicked, this, &LiveTabs::copyWanted);
    auto* head = new QHBoxLayout;
    head->addWidget(only);
    head->addStretch();
    head->addWidget(copy);
    auto* layout = tabLayout(tab);
    layout->addLayout(head);
    layout->addWidget(settingTable_, 1);
    return tab;
}

QWidget* LiveTabs::makeEvents() {
    eventTable_ = new QTableView(this);
    setUpTable(*eventTable_, "Events");
    eventTable_->setFrameShape(QFrame::NoFrame);
    eventTable_->setModel(eventModel_);
    eventTable_->setColumnWidth(EventModel::Time, 130);
    eventTable_->setColumnWidth(EventModel::Step, 70);
    eventTable_->setColumnWidth(EventModel::Type, 110);
    eventTable_->horizontalHeader()->setStretchLastSection(true);
    return eventTable_;
}

void LiveTabs::refreshHistory() {
    eventModel_->setRecords(feed_.history().notable());
    if (feed_.history().samples().size() != shownSamples_)
        refreshSamples();
    if (feed_.history().checkpoints().size() != shownCheckpoints_)
        refreshCheckpoints();
}

void LiveTabs::refreshSamples() {
    shownSamples_ = feed_.history().samples().size();
    QStringList prompts;
    for (const auto& [t, seq, sample] : feed_.history().samples())
        if (const auto prompt = toQt(sample.prompt); !prompts.contains(prompt))
            prompts << prompt;
    const int row = std::clamp(prompts_->currentRow(), 0, std::max(0, static_cast<int>(prompts.size()) - 1));
    const QSignalBlocker blocker(prompts_);
    prompts_->clear();
    for (const auto& prompt : prompts) {
        auto* item = new QListWidgetItem(prompt.simplified(), prompts_);
        item->setData(Qt::UserRole, prompt);
        item->setToolTip(prompt);
    }
    prompts_->setCurrentRow(prompts.isEmpty() ? -1 : row);
    showSamplesOf(row);
}

void LiveTabs::showSamplesOf(int row) {
    const auto* item = prompts_->item(row);
    if (!item)
        return samples_->clear();
    const auto prompt = toStd(item->data(Qt::UserRole).toString());
    QStringList texts;
    for (const auto& [t, seq, sample] : feed_.history().samples())
        if (sample.prompt == prompt)
            texts.prepend(QString("Step %1 (%2 tokens)\n%3\n")
                              .arg(text::count(sample.step), text::count(sample.tokens), toQt(sample.text)));
    samples_->setPlainText(texts.join('\n'));
}

void LiveTabs::refreshCheckpoints() {
    shownCheckpoints_ = feed_.history().checkpoints().size();
    const auto run = feed_.run();
    if (run.isEmpty())
        return checkpointModel_->setItems({});
    studio_.client.request("checkpoints", {{"run", toStd(run)}}, this, [this, run](Result<Json> result) {
        std::vector<CheckpointItem> items;
        if (run == feed_.run() && result && result->contains("checkpoints") &&
            fromJson((*result)["checkpoints"], items))
            checkpointModel_->setItems(std::move(items));
    });
}

QString LiveTabs::selectedCheckpoint() const {
    const int row = checkpointTable_->currentIndex().row();
    const auto& items = checkpointModel_->items();
    return row >= 0 && row < static_cast<int>(items.size())
               ? QString::number(items[static_cast<std::size_t>(row)].step)
               : QString("best");
}

void LiveTabs::refreshLog() {
    log_->clear();
    appendLog(feed_.log());
}

void LiveTabs::appendLog(const QStringList& lines) {
    const auto wanted = logFilter_->text();
    const auto shown = wanted.isEmpty() ? lines : lines.filter(wanted, Qt::CaseInsensitive);
    if (shown.isEmpty())
        return;
    auto* bar = log_->verticalScrollBar();
    const bool atEnd = bar->value() >= bar->maximum() - 4;
    log_->appendPlainText(shown.join('\n'));
    if (atEnd)
        bar->setValue(bar->maximum());
}

QString LiveTabs::markdown() const {
    const auto title = "**" + tabText(currentIndex()) + "**\n\n";
    if (currentWidget() == eventTable_)
        return title + tableMarkdown(*eventModel_);
    if (currentWidget()->isAncestorOf(checkpointTable_))
        return title + tableMarkdown(*checkpointModel_);
    if (currentWidget()->isAncestorOf(settingTable_))
        return title + tableMarkdown(*settingModel_);
    const auto* text = currentWidget()->isAncestorOf(samples_) ? samples_ : log_;
    return title + "```\n" + text->toPlainText() + "\n```\n";
}

} // namespace anneal
