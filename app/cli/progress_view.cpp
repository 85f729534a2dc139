#include "app/cli/progress_view.h"

#include "app/cli/report.h"
#include "core/base/system.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace anneal::cli {

namespace {

constexpr double plainInterval = 10; ///< seconds between two lines where nothing can be rewritten
constexpr int barWidth = 22;
constexpr const char* trainingPhase = "training";

std::string evaluationLine(const EvaluationEvent& event) {
    std::string text = event.step == 0 ? "base model: " : "step " + formatCount(event.step) + ": ";
    text += "validation loss " + lossText(event.loss) + (event.best ? ", the best so far" : "");
    for (const auto& [name, value] : event.metrics.items())
        if (const auto number = numberFromJson(value); number && name != "loss" && name != "perplexity")
            text += ", " + name + " " + lossText(*number);
    return text + " (" + formatDuration(event.seconds) + ")";
}

} // namespace

std::string phaseLine(const PhaseEvent& phase) {
    std::string text = phase.name;
    if (phase.total > 0)
        text += "  " + barText(static_cast<double>(phase.done) / static_cast<double>(phase.total), barWidth) +
                "  " + formatCount(phase.done) + " of " + formatCount(phase.total);
    else if (phase.done > 0)
        text += "  " + formatCount(phase.done);
    return phase.unit.empty() || (phase.total == 0 && phase.done == 0) ? text : text + " " + phase.unit;
}

ProgressView::ProgressView(std::FILE* stream) : terminal_(stream) {}

void ProgressView::show(const EventRecord& record) {
    if (const auto* phase = std::get_if<PhaseEvent>(&record.event)) {
        beginPhase(*phase, record.t);
    } else if (const auto* evaluation = std::get_if<EvaluationEvent>(&record.event)) {
        say(evaluationLine(*evaluation));
    } else if (const auto* warning = std::get_if<WarningEvent>(&record.event)) {
        say("warning: " + warning->text + " " + warning->fix);
    } else if (const auto* error = std::get_if<ErrorEvent>(&record.event)) {
        say("error: " + error->text + " " + error->fix);
    } else if (const auto* resumed = std::get_if<ResumedEvent>(&record.event)) {
        say("continues at step " + formatCount(resumed->step) + " " + resumed->reason);
    } else if (const auto* started = std::get_if<StartedEvent>(&record.event)) {
        say("training " + formatCount(started->trainable_parameters) + " of " +
            formatCount(started->total_parameters) + " parameters on " + started->device);
    }
}

void ProgressView::beginPhase(const PhaseEvent& phase, double t) {
    lastPhase_ = phase;
    if (phase.name == phase_)
        return;
    endPhase(t);
    phase_ = phase.name;
    phaseBegan_ = t;
    training_ = phase.name == trainingPhase;
    if (std::ranges::find(times_, phase_, &std::pair<std::string, double>::first) == times_.end()) {
        times_.emplace_back(phase_, 0);
        if (!terminal_.interactive())
            say(phase_);
    }
}

void ProgressView::endPhase(double t) {
    const auto found = std::ranges::find(times_, phase_, &std::pair<std::string, double>::first);
    if (found == times_.end())
        return;
    const bool first = found->second == 0;
    found->second += t - phaseBegan_;
    if (first && !training_)
        say(phase_ + ": " + formatDuration(found->second));
}

void ProgressView::update(const RunSummary& summary) {
    if (terminal_.interactive()) {
        terminal_.rewriteLine(lineOf(summary));
        return;
    }
    const double now = monotonicSeconds();
    const bool moved = training_ && summary.step > 0 && summary.step != printedStep_;
    if (!moved || (now - lastPrinted_ < plainInterval && summary.step != summary.max_steps))
        return;
    lastPrinted_ = now;
    printedStep_ = summary.step;
    terminal_.print(lineOf(summary));
}

std::string ProgressView::lineOf(const RunSummary& summary) const {
    if (!training_)
        return phase_.empty() ? std::string(statusName(summary.status)) : phaseLine(lastPhase_);
    std::string text =
        summary.status == RunStatus::Running ? "" : std::string(statusName(summary.status)) + "  ";
    text += "step " + formatCount(summary.step);
    if (summary.max_steps && *summary.max_steps > 0) {
        text += "/" + formatCount(*summary.max_steps);
        if (terminal_.interactive())
            text += " " + barText(static_cast<double>(summary.step) / static_cast<double>(*summary.max_steps),
                                  barWidth);
    }
    text += "  loss " + lossText(summary.train_loss);
    if (summary.tokens_per_second)
        text += "  " + formatCount(std::llround(*summary.tokens_per_second)) + " tok/s";
    text += "  left " + timeLeftText(summary.seconds_left);
    if (summary.cost.spent)
        text += "  " + moneyText(summary.cost.spent, summary.cost.currency);
    return text;
}

void ProgressView::say(const std::string& text) { terminal_.print(std::string(trim(text))); }

std::vector<std::pair<std::string, double>> ProgressView::finish(double now) {
    endPhase(now);
    phase_.clear();
    terminal_.rewriteLine("");
    return times_;
}

} // namespace anneal::cli
