#include "ui/pages/run_head.h"

#include "core/base/system.h"
#include "ui/client/text.h"
#include "ui/models/colors.h"
#include "ui/models/number_text.h"
#include "ui/pages/run_charts.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QVBoxLayout>

#include <cmath>

namespace anneal {

namespace {

constexpr int clockMs = 5000; ///< "41 s ago" need not be truer than this
enum Tile { StepTile, TimeTile, CostTile, LossTile, ValidationTile, SpeedTile, SavedTile, TileCount };

QString costNote(const RunSummary& run, const Json& config) {
    if (!run.cost.spent)
        return "cost: no hourly rate set";
    auto note = isActive(run.status) && run.cost.projected
                    ? "spent of ~" + text::money(run.cost.projected, run.cost.currency)
                    : QString("spent");
    const auto cost = config.is_object() && config.contains("cost") ? config["cost"] : Json::object();
    if (const auto budget = cost.contains("budget") ? numberFromJson(cost["budget"]) : std::nullopt)
        note += ", budget " + text::money(budget, run.cost.currency);
    return note;
}

QString timeNote(const RunSummary& run, double now) {
    if (!isActive(run.status))
        return run.seconds > 0 ? "active in all" : "active";
    if (!run.seconds_left)
        return "time left";
    return "left, ends " + text::clock(now + (run.seconds_left->low + run.seconds_left->high) / 2, now);
}

} // namespace

StatTile::StatTile(QWidget* parent, int noteLines)
    : QWidget(parent), value_(new QLabel(text::dash, this)), note_(mutedLabel({}, this)) {
    auto font = value_->font();
    font.setPointSizeF(font.pointSizeF() * 1.25);
    font.setBold(true);
    value_->setFont(font);
    auto small = note_->font();
    small.setPointSizeF(std::max(7.5, small.pointSizeF() - 1));
    note_->setFont(small);
    note_->setWordWrap(true);
    note_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    note_->setMinimumHeight(note_->fontMetrics().lineSpacing() * noteLines);
    value_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(1);
    layout->addWidget(value_);
    layout->addWidget(note_, 1);
}

void StatTile::show(const QString& value, const QString& note) {
    if (value_->text() != value)
        value_->setText(value);
    if (note_->text() != note)
        note_->setText(note);
    setAccessibleName(value + " " + note);
}

RunHead::RunHead(Studio& studio, RunFeed& feed, QWidget* parent)
    : QWidget(parent), studio_(studio), feed_(feed), name_(new QToolButton(this)), status_(new QLabel(this)),
      save_(new QPushButton("Save now", this)), pause_(new QPushButton("Pause", this)),
      resume_(new QPushButton("Resume", this)), stop_(new QPushButton("Stop", this)),
      progress_(new QProgressBar(this)), notice_(new NoticeLine(this)),
      refresh_([this] { refresh(); }, this) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(makeTitle());
    layout->addWidget(notice_);
    layout->addLayout(makeTiles());
    progress_->setTextVisible(false);
    progress_->setFixedHeight(5);
    progress_->setAccessibleName("Progress");
    layout->addWidget(progress_);
    refresh_.setInterval(500);
    for (const auto signal : {&RunFeed::summaryChanged, &RunFeed::historyChanged, &RunFeed::configChanged})
        connect(&feed_, signal, &refresh_, &Throttle::request);
    for (const auto signal : {&RunFeed::runChanged, &RunFeed::problemChanged})
        connect(&feed_, signal, &refresh_, &Throttle::flush);
    connect(&clock_, &QTimer::timeout, this, [this] {
        if (isVisible() && feed_.summary() && isActive(feed_.summary()->status))
            refresh();
    });
    clock_.start(clockMs);
    refresh();
}

QLayout* RunHead::makeTitle() {
    auto font = name_->font();
    font.setPointSizeF(font.pointSizeF() * 1.35);
    font.setBold(true);
    name_->setFont(font);
    name_->setAutoRaise(true);
    name_->setPopupMode(QToolButton::InstantPopup);
    name_->setToolTip("Choose another run");
    auto* menu = new QMenu(name_);
    name_->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, &RunHead::fillRunMenu);
    status_->setTextFormat(Qt::RichText);
    save_->setToolTip("Writes a checkpoint after the current step.");
    stop_->setToolTip("Saves a checkpoint and ends the run; it can be resumed.");
    pause_->setToolTip("Waits after the current step, until resumed.");
    connect(save_, &QPushButton::clicked, this, [this] { control("save"); });
    connect(pause_, &QPushButton::clicked, this, [this] { control("pause"); });
    connect(resume_, &QPushButton::clicked, this, [this] { control("resume"); });
    connect(stop_, &QPushButton::clicked, this, [this] { control("stop"); });
    auto* title = new QHBoxLayout;
    title->setSpacing(8);
    title->addWidget(name_);
    title->addWidget(status_);
    title->addStretch();
    for (auto* button : {save_, pause_, resume_, stop_})
        title->addWidget(button);
    return title;
}

QLayout* RunHead::makeTiles() {
    auto* row = new QHBoxLayout;
    row->setSpacing(20);
    for (int i = 0; i < TileCount; ++i) {
        tiles_.push_back(new StatTile(this));
        row->addWidget(tiles_.back(), i == CostTile || i == ValidationTile ? 5 : 4);
    }
    return row;
}

void RunHead::fillRunMenu() {
    auto* menu = name_->menu();
    menu->clear();
    for (const auto& run : studio_.runs.runs()) {
        const auto id = toQt(run.id);
        auto* action =
            menu->addAction(id + "   " + statusText(run.status), this, [this, id] { Q_EMIT runChosen(id); });
        action->setCheckable(true);
        action->setChecked(id == feed_.run());
        if (menu->actions().size() >= 30)
            break;
    }
}

void RunHead::control(const char* method) {
    notice_->clearNotice();
    const auto run = feed_.run();
    studio_.client.request(method, {{"run", toStd(run)}}, this, [this, run](Result<Json> result) {
        if (!result)
            return notice_->showError(result.error());
        Q_EMIT said(run + ": " + toQt(result->value("outcome", std::string("accepted"))));
    });
}

void RunHead::refresh() {
    if (!feed_.problem().isEmpty())
        notice_->showError(feed_.problem());
    const auto run = feed_.summary().value_or(RunSummary{});
    refreshTitle(run);
    refreshTiles(run);
    refreshProgress(run);
    refreshButtons(feed_.summary() ? run.status : RunStatus::Finished);
}

void RunHead::refreshTitle(const RunSummary& run) {
    const auto name = run.name.empty() ? feed_.run() : toQt(run.name);
    name_->setText(name.isEmpty() ? "No run" : name + " ");
    if (!feed_.summary())
        return status_->clear();
    const auto& colors = Colors::of(palette());
    auto text = QString("<span style=\"color:%1\">●</span> %2")
                    .arg(stateColor(colors, run.status).name(), statusText(run.status).toHtmlEscaped());
    if (!run.reason.empty())
        text += QString(" <span style=\"color:%1\">%2</span>")
                    .arg(colors.muted.name(), toQt(run.reason).toHtmlEscaped());
    status_->setText(text);
}

void RunHead::refreshTiles(const RunSummary& run) {
    const double now = unixSeconds();
    const auto& history = feed_.history();
    const bool active = isActive(run.status);
    const auto epoch = run.epoch ? "step, epoch " + QString::number(*run.epoch, 'f', 2) : QString("step");
    tiles_[StepTile]->show(text::count(run.step) + " / " + text::count(run.max_steps), epoch);
    tiles_[TimeTile]->show(active            ? text::durationRange(run.seconds_left)
                           : run.seconds > 0 ? text::duration(run.seconds)
                                             : text::dash,
                           timeNote(run, now));
    tiles_[CostTile]->show(text::money(run.cost.spent, run.cost.currency), costNote(run, feed_.config()));
    const auto smooth = smoothedLoss(history, studio_.preferences.smoothing());
    tiles_[LossTile]->show(text::loss(smooth ? smooth : run.train_loss), "training loss, smoothed");
    const auto* best = history.best();
    const auto base = text::loss(run.base_validation_loss);
    tiles_[ValidationTile]->show(
        text::loss(best ? std::optional(best->loss) : std::nullopt),
        best ? QString("best validation, step %1; base %2").arg(text::count(best->step), base)
             : "best validation; base " + base);
    const auto speed = run.tokens_per_second ? text::count(std::llround(*run.tokens_per_second)) : text::dash;
    const auto last = history.lastStepTime();
    tiles_[SpeedTile]->show(speed, active && last > 0 ? "tokens/s, last step " + text::ago(now - last)
                                                      : QString("tokens/s"));
    tiles_[SavedTile]->show(history.checkpoints().empty()
                                ? text::dash
                                : "step " + text::count(history.checkpoints().back().event.step),
                            savedText(now));
}

QString RunHead::savedText(double now) const {
    const auto& saved = feed_.history().checkpoints();
    const auto step = feed_.summary() ? feed_.summary()->step : 0;
    if (saved.empty())
        return step > 0 ? QString("nothing saved; a crash loses %1 steps").arg(text::count(step))
                        : QString("last saved");
    const auto since = step - saved.back().event.step;
    return "saved " + text::ago(now - saved.back().t) +
           (since > 0 ? QString("; a crash loses %1 step%2").arg(text::count(since), since == 1 ? "" : "s")
                      : QString());
}

void RunHead::refreshProgress(const RunSummary& run) {
    const auto& phase = feed_.history().phase();
    const bool aside = phase && phase->total > 0 && phase->name != "training" && isActive(run.status);
    const double done = aside ? static_cast<double>(phase->done) : static_cast<double>(run.step);
    const double total =
        aside ? static_cast<double>(phase->total) : static_cast<double>(run.max_steps.value_or(0));
    progress_->setRange(0, 1000);
    progress_->setValue(total > 0 ? static_cast<int>(std::lround(1000 * std::min(1.0, done / total))) : 0);
    if (phase && isActive(run.status) && phase->name != "training")
        status_->setText(status_->text() + " · " + toQt(phase->name).toHtmlEscaped() +
                         (phase->total > 0 ? QString(" %1 / %2 %3")
                                                 .arg(text::count(phase->done), text::count(phase->total),
                                                      toQt(phase->unit).toHtmlEscaped())
                                           : QString()));
}

void RunHead::refreshButtons(RunStatus status) {
    const bool resumable = status == RunStatus::Paused || status == RunStatus::Stopped ||
                           status == RunStatus::Interrupted || status == RunStatus::Failed;
    save_->setEnabled(status == RunStatus::Running || status == RunStatus::Paused);
    pause_->setVisible(!resumable);
    pause_->setEnabled(status == RunStatus::Running);
    resume_->setVisible(resumable);
    stop_->setEnabled(isActive(status) && status != RunStatus::Stopping);
}

QString RunHead::markdown() const {
    QString text = "**" + name_->text().trimmed() + "**\n\n";
    for (const auto* tile : tiles_)
        text += "- " + tile->value() + " " + tile->note() + "\n";
    return text;
}

} // namespace anneal
