#include "ui/pages/live_page.h"

#include "ui/client/text.h"
#include "ui/models/number_text.h"

#include <QGridLayout>
#include <QSplitter>
#include <QVBoxLayout>

namespace anneal {

LivePage::LivePage(Studio& studio, QWidget* parent)
    : Page(studio, parent), feed_(studio.client), head_(new RunHead(studio, feed_, this)),
      loss_(new LossChart(this)), rate_(new Chart("Learning rate", this)),
      norm_(new Chart("Gradient norm", this)), speed_(new Chart("Tokens/s", this)),
      load_(new Chart("Load", this)), charts_{loss_, rate_, norm_, speed_, load_},
      gauges_(new GaugePanel(this)), host_(mutedLabel({}, this)), tabs_(new LiveTabs(studio, feed_, this)),
      stack_(new QStackedWidget(this)), refresh_([this] { refreshCharts(); }, this) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
    auto* empty = new EmptyState("No run to watch", "Start one, or open one from the list of runs.", this);
    connect(empty->addButton("New run", true), &QPushButton::clicked, this, &LivePage::newRunWanted);
    stack_->addWidget(empty);
    stack_->addWidget(makeBody());
    Chart::link({loss_, rate_, norm_, speed_});
    connect(&feed_, &RunFeed::historyChanged, &refresh_, &Throttle::request);
    connect(&feed_, &RunFeed::telemetryChanged, this, &LivePage::refreshGauges);
    connect(&feed_, &RunFeed::runChanged, this, [this] {
        stack_->setCurrentIndex(feed_.run().isEmpty() ? 0 : 1);
        host_->clear();
        gauges_->clear();
        refresh_.flush();
        for (auto* chart : charts_)
            chart->plot().resetZoom();
    });
    connect(head_, &RunHead::runChosen, this, &LivePage::showRun);
    connect(head_, &RunHead::said, this, &Page::said);
    connect(tabs_, &LiveTabs::exportWanted, this,
            [this](const QString& step) { Q_EMIT exportWanted(run(), step); });
    connect(tabs_, &LiveTabs::playgroundWanted, this,
            [this](const QString& step) { Q_EMIT playgroundWanted(run(), step); });
    connect(tabs_, &LiveTabs::copyWanted, this, [this] { Q_EMIT copyWanted(run()); });
    connect(&studio.runs, &RunListModel::changed, this, &LivePage::chooseRun);
    const auto prefer = [this] {
        refresh_.setInterval(studio_.preferences.charts().redrawMilliseconds);
        for (auto* chart : charts_)
            chart->setPreferences(studio_.preferences.charts());
        refresh_.flush();
    };
    connect(&studio.preferences, &Preferences::changed, this, prefer);
    connect(loss_, &LossChart::smoothingChosen, &studio.preferences, &Preferences::setSmoothing);
    prefer();
    chooseRun();
}

QWidget* LivePage::makeBody() {
    auto* body = new QWidget(this);
    auto* splitter = new QSplitter(Qt::Vertical, body);
    auto* upper = new QWidget(splitter);
    auto* row = new QHBoxLayout(upper);
    row->setContentsMargins(0, 0, 0, 6);
    row->setSpacing(10);
    row->addWidget(makeCharts(), 1);
    row->addWidget(makeGauges());
    splitter->addWidget(tabs_);
    splitter->setChildrenCollapsible(false);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(20, 14, 20, 10);
    layout->setSpacing(10);
    layout->addWidget(head_);
    layout->addWidget(splitter, 1);
    return body;
}

QWidget* LivePage::makeCharts() {
    auto* area = new QWidget(this);
    auto* grid = new QGridLayout(area);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(8);
    grid->addWidget(loss_, 0, 0, 1, 3);
    grid->addWidget(rate_, 1, 0);
    grid->addWidget(norm_, 1, 1);
    grid->addWidget(speed_, 1, 2);
    grid->setRowStretch(0, 2);
    grid->setRowStretch(1, 1);
    return area;
}

QWidget* LivePage::makeGauges() {
    auto* column = new QWidget(this);
    column->setFixedWidth(320);
    auto* frame = panel(column);
    auto* title = new QLabel("Machine", frame);
    auto font = title->font();
    font.setBold(true);
    title->setFont(font);
    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addWidget(host_, 1);
    auto* layout = new QVBoxLayout(frame);
    layout->setContentsMargins(10, 6, 10, 6);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addWidget(gauges_);
    load_->plot().setXAxis(XAxis::Time);
    auto* outer = new QVBoxLayout(column);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(8);
    outer->addWidget(frame);
    outer->addWidget(load_, 1);
    return column;
}

void LivePage::showRun(const QString& run) { feed_.follow(run); }

/// Without a choice of the user, the newest run that is under way, else the newest.
void LivePage::chooseRun() {
    if (!feed_.run().isEmpty() || studio_.runs.runs().empty())
        return;
    const auto& runs = studio_.runs.runs();
    const auto active =
        std::find_if(runs.begin(), runs.end(), [](const RunSummary& run) { return isActive(run.status); });
    showRun(toQt(active == runs.end() ? runs.front().id : active->id));
}

void LivePage::refreshCharts() {
    const auto& history = feed_.history();
    double maxSteps = 0;
    if (history.started())
        maxSteps = static_cast<double>(history.started()->max_steps);
    else if (feed_.summary())
        maxSteps = static_cast<double>(feed_.summary()->max_steps.value_or(0));
    loss_->showRun(history, maxSteps, studio_.preferences.smoothing());
    rate_->setContent(learningRateContent(history, maxSteps));
    norm_->setContent(gradNormContent(history, maxSteps));
    speed_->setContent(speedContent(history, maxSteps));
    const auto& last = history.lastStep();
    rate_->setCaption(last ? text::rate(last->learning_rate) : QString());
    norm_->setCaption(last ? text::significant(last->grad_norm, 3) : QString());
    speed_->setCaption(last ? text::count(std::llround(last->tokens_per_second)) : QString());
}

void LivePage::refreshGauges() {
    if (feed_.telemetry().empty())
        return;
    const auto& sample = feed_.telemetry().back();
    host_->setText(toQt(sample.host));
    gauges_->showSample(sample);
    auto content = loadContent(feed_.telemetry());
    load_->setCaption(content.curves[0].name + ", " + content.curves[1].name + " (grey)");
    load_->setContent(std::move(content));
}

void LivePage::setTableView(bool on) {
    for (auto* chart : charts_)
        chart->setTableShown(on);
}

QString LivePage::markdown() {
    auto text = head_->markdown() + "\n" + gauges_->markdown();
    for (auto* chart : charts_)
        text += "\n" + chart->markdown();
    return text + "\n" + tabs_->markdown();
}

} // namespace anneal
