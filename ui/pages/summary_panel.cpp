#include "ui/pages/summary_panel.h"

#include "core/protocol/state.h"
#include "ui/client/text.h"
#include "ui/models/number_text.h"
#include "ui/pages/page_parts.h"

#include <algorithm>

namespace anneal {

namespace {

constexpr int shownOffers = 4;

QLabel* valueLabel(QWidget* parent) {
    auto* label = new QLabel(text::dash, parent);
    auto font = label->font();
    font.setBold(true);
    label->setFont(font);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QLabel* noteLabel(QWidget* parent) {
    auto* label = mutedLabel({}, parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QString timeRange(const PlanTime& time) {
    if (!time.seconds_low || !time.seconds_high)
        return text::dash;
    return text::durationRange(TimeLeft{*time.seconds_low, *time.seconds_high});
}

QString offerText(const PlanCost& cost) {
    return toQt(cost.provider) + (cost.machine.empty() ? "" : ", " + toQt(cost.machine)) + ": " +
           text::money(cost.total, cost.currency) + (cost.fits ? "" : " (too small)");
}

QString countText(std::ptrdiff_t count, const char* one, const char* many) {
    return QString("%1 %2").arg(count).arg(count == 1 ? one : many);
}

} // namespace

SummaryPanel::SummaryPanel(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 10, 14, 12);
    layout->setSpacing(2);
    title_ = new QLabel("Summary", this);
    auto font = title_->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 1.1);
    title_->setFont(font);
    layout->addWidget(title_);
    batch_ = addBlock(*layout, "Sequences a step");
    layout->addWidget(batchNote_ = noteLabel(this));
    steps_ = addBlock(*layout, "Optimizer steps");
    memory_ = addBlock(*layout, "Memory of each device");
    layout->addSpacing(4);
    layout->addWidget(bar_ = new MemoryBar(this));
    time_ = addBlock(*layout, "Time");
    layout->addWidget(timeNote_ = noteLabel(this));
    cost_ = addBlock(*layout, "Cost");
    layout->addWidget(costNote_ = noteLabel(this));
    counts_ = addBlock(*layout, "Problems");
    layout->addWidget(problems_ = new ProblemLabel(this));
    layout->addStretch();
    connect(problems_, &ProblemLabel::settingChosen, this, &SummaryPanel::settingChosen);
    connect(problems_, &ProblemLabel::fixChosen, this, &SummaryPanel::fixChosen);
    setNoPlan({});
    setProblems({});
}

QLabel* SummaryPanel::addBlock(QVBoxLayout& layout, const QString& title) {
    layout.addSpacing(9);
    layout.addWidget(mutedLabel(title, this));
    auto* value = valueLabel(this);
    value->setAccessibleName(title);
    layout.addWidget(value);
    return value;
}

void SummaryPanel::setConfig(const RunConfig& config) {
    config_ = config;
    refreshBatch();
}

void SummaryPanel::refreshBatch() {
    const auto& training = config_.training;
    const auto ranks = plan_ ? plan_->ranks.value_or(1) : 1;
    const auto total = training.per_device_batch_size * training.gradient_accumulation_steps * ranks;
    batch_->setText(text::count(total));
    batchNote_->setText(QString("batch %1 × accumulation %2 × %3")
                            .arg(training.per_device_batch_size)
                            .arg(training.gradient_accumulation_steps)
                            .arg(countText(ranks, "device", "devices")));
}

void SummaryPanel::setPlan(const PlanAnswer& plan) {
    plan_ = plan;
    setBusy(false);
    refreshBatch();
    steps_->setText(
        plan.time.steps
            ? text::count(plan.time.steps) +
                  (plan.time.tokens
                       ? ", " + text::shortCount(static_cast<double>(*plan.time.tokens)) + " tokens"
                       : QString())
            : text::dash);
    memory_->setText(text::bytesOf(plan.memory.per_gpu_bytes, plan.memory.available_bytes) +
                     (plan.memory.fits ? "" : ", does not fit"));
    bar_->setMemory(plan.memory);
    time_->setText(timeRange(plan.time));
    const auto basis = toQt(plan.time.basis), machine = toQt(plan.machine);
    timeNote_->setText((machine.isEmpty() || basis.contains(machine) ? "" : "on " + machine + "\n") +
                       "basis: " + basis);
    refreshCost();
}

void SummaryPanel::refreshCost() {
    const auto& offers = plan_->cost;
    cost_->setText(offers.empty() ? text::dash : text::money(offers.front().total, offers.front().currency));
    QStringList lines;
    for (const auto& offer : offers) {
        if (lines.size() >= shownOffers)
            break;
        if (&offer == &offers.front() || offer.fits)
            lines << offerText(offer);
    }
    costNote_->setText(lines.join('\n'));
}

void SummaryPanel::setNoPlan(const QString& reason) {
    plan_.reset();
    setBusy(false);
    for (auto* label : {steps_, memory_, time_, cost_})
        label->setText(text::dash);
    bar_->setMemory(std::nullopt);
    timeNote_->setText(reason);
    costNote_->clear();
    refreshBatch();
}

void SummaryPanel::setBusy(bool busy) { title_->setText(busy ? "Summary  (estimating)" : "Summary"); }

void SummaryPanel::setProblems(const Problems& problems) {
    const auto count = [&](Severity severity) {
        return std::count_if(problems.begin(), problems.end(),
                             [&](const Problem& problem) { return problem.severity == severity; });
    };
    QStringList parts{countText(count(Severity::Error), "error", "errors")};
    if (const auto warnings = count(Severity::Warning))
        parts << countText(warnings, "warning", "warnings");
    if (const auto notes = count(Severity::Note))
        parts << countText(notes, "note", "notes");
    counts_->setText(problems.empty() ? "none" : parts.join(", "));
    problems_->setProblems(problems, true);
}

} // namespace anneal
