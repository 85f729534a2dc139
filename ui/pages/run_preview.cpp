#include "ui/pages/run_preview.h"

#include "ui/client/text.h"
#include "ui/models/colors.h"
#include "ui/models/number_text.h"
#include "ui/models/setting_model.h"
#include "ui/pages/page_parts.h"

#include <QHBoxLayout>
#include <QScrollBar>
#include <QVBoxLayout>

namespace anneal {

namespace {

constexpr int settleMs = 150;
constexpr int shownLines = 200;
constexpr qsizetype shownChanges = 8;

/// "Rank 64 (16), Learning rate 1e-5 (2e-4)": what differs from the defaults, paths and names left out.
QString changedSettings(const Json& json) {
    static const RunConfig standard;
    const auto loaded = configFromJson(json);
    QStringList parts;
    for (const auto& field : fieldTable()) {
        const auto value = field.read(loaded.config), usual = field.read(standard);
        const bool apart =
            field.kind == FieldKind::Path || field.kind == FieldKind::Sources || field.group == "General";
        if (value != usual && !apart && !value.is_null())
            parts << toQt(field.label) + " " + settingText(field, value) + " (" + settingText(field, usual) +
                         ")";
    }
    if (parts.size() > shownChanges) {
        const auto more = parts.size() - shownChanges;
        parts = parts.mid(0, shownChanges) << QString("and %1 more").arg(more);
    }
    return parts.isEmpty() ? "All settings have their defaults." : parts.join(",  ");
}

QString factsText(const RunSummary& run) {
    QStringList parts;
    parts << "step " + text::count(run.step) + " of " + text::count(run.max_steps);
    if (isActive(run.status) && run.seconds_left)
        parts << text::durationRange(run.seconds_left) + " left";
    if (run.seconds > 0)
        parts << text::duration(run.seconds) + " under way";
    if (run.cost.spent)
        parts << text::money(run.cost.spent, run.cost.currency) + " spent";
    return parts.join("   ");
}

} // namespace

RunPreview::RunPreview(Studio& studio, QWidget* parent)
    : QWidget(parent), studio_(studio), feed_(studio.client), chart_(new LossChart(this)),
      title_(new QLabel(this)), facts_(mutedLabel({}, this)), changes_(mutedLabel({}, this)),
      log_(new QPlainTextEdit(this)), refresh_([this] { refreshChart(); }, this) {
    chart_->setPreferences(studio.preferences.charts());
    auto font = title_->font();
    font.setBold(true);
    title_->setFont(font);
    facts_->setWordWrap(true);
    changes_->setWordWrap(true);
    log_->setReadOnly(true);
    log_->setFont(fixedFont());
    log_->setLineWrapMode(QPlainTextEdit::NoWrap);
    log_->setAccessibleName("End of the log");
    log_->setPlaceholderText("No log yet");
    auto* right = new QVBoxLayout;
    right->setSpacing(4);
    for (auto* label : {title_, facts_, changes_})
        right->addWidget(label);
    right->addWidget(log_, 1);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(chart_, 3);
    layout->addLayout(right, 2);
    settle_.setSingleShot(true);
    connect(&settle_, &QTimer::timeout, this, [this] { feed_.follow(wanted_); });
    connect(&feed_, &RunFeed::historyChanged, &refresh_, &Throttle::request);
    connect(&feed_, &RunFeed::runChanged, &refresh_, &Throttle::flush);
    connect(chart_, &LossChart::smoothingChosen, &studio.preferences, &Preferences::setSmoothing);
    for (const auto signal :
         {&RunFeed::summaryChanged, &RunFeed::configChanged, &RunFeed::runChanged, &RunFeed::problemChanged})
        connect(&feed_, signal, this, &RunPreview::refreshFacts);
    for (const auto signal : {&RunFeed::logCleared, &RunFeed::runChanged})
        connect(&feed_, signal, this, &RunPreview::refreshLog);
    connect(&feed_, &RunFeed::logAppended, this, [this] { refreshLog(); });
    connect(&studio.preferences, &Preferences::changed, this, [this] {
        chart_->setPreferences(studio_.preferences.charts());
        refresh_.flush();
    });
}

void RunPreview::refreshChart() {
    const auto max = feed_.summary() ? feed_.summary()->max_steps.value_or(0) : 0;
    chart_->showRun(feed_.history(), static_cast<double>(max), studio_.preferences.smoothing());
}

void RunPreview::showRun(const QString& run) {
    wanted_ = run;
    settle_.start(settleMs);
}

void RunPreview::refreshFacts() {
    if (!feed_.problem().isEmpty()) {
        title_->setText(feed_.run());
        facts_->setText(feed_.problem());
        return changes_->clear();
    }
    if (!feed_.summary()) {
        title_->setText(feed_.run());
        facts_->clear();
        return changes_->clear();
    }
    const auto& run = *feed_.summary();
    title_->setText(toQt(run.name.empty() ? run.id : run.name) + "  " + statusText(run.status));
    facts_->setText(run.reason.empty() ? factsText(run) : toQt(run.reason) + "\n" + factsText(run));
    changes_->setText(feed_.config().is_object() ? changedSettings(feed_.config()) : QString());
}

void RunPreview::refreshLog() {
    const auto& lines = feed_.log();
    log_->setPlainText(lines.mid(std::max<qsizetype>(0, lines.size() - shownLines)).join('\n'));
    log_->verticalScrollBar()->setValue(log_->verticalScrollBar()->maximum());
}

} // namespace anneal
