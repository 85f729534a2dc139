#include "app/cli/attach_view.h"

#include "app/cli/report.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace anneal::cli {

namespace {

constexpr int gaugeWidth = 22;
constexpr int chartRows = 9;

std::string gauge(const std::string& name, double share, const std::string& value) {
    return name + " " + barText(share, gaugeWidth) + " " + value + "  ";
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::string memoryGauge(const std::optional<double>& used, const std::optional<double>& total) {
    if (!used || !total || *total <= 0)
        return {};
    return gauge("memory", *used / *total, formatBytes(*used) + " of " + formatBytes(*total));
}

std::string gpuLine(const GpuSample& gpu) {
    std::string text = "gpu " + std::to_string(gpu.index) + " ";
    if (gpu.utilization)
        text += gauge("busy", *gpu.utilization, percent(*gpu.utilization));
    text += memoryGauge(gpu.memory_used, gpu.memory_total);
    if (gpu.power)
        text += std::to_string(std::lround(*gpu.power)) + " W  ";
    if (gpu.temperature)
        text += std::to_string(std::lround(*gpu.temperature)) + " C";
    return text + "\n";
}

} // namespace

std::string gaugeText(const TelemetrySample& sample) {
    std::string text;
    for (const auto& gpu : sample.gpus)
        text += gpuLine(gpu);
    if (!text.empty())
        return text;
    if (sample.cpu)
        text += gauge("cpu", *sample.cpu, percent(*sample.cpu));
    text += memoryGauge(sample.memory_used, sample.memory_total);
    if (sample.run_memory)
        text += "run " + formatBytes(*sample.run_memory);
    return text.empty() ? text : text + "\n";
}

void AttachView::take(const RunFollower::Update& update) {
    if (update.replay)
        chart_.clear();
    for (const auto& record : update.events)
        if (const auto* step = std::get_if<StepEvent>(&record.event))
            chart_.add(step->step, step->loss);
        else if (const auto* warning = std::get_if<WarningEvent>(&record.event))
            lastWarning_ = warning->text;
}

std::string AttachView::head(const RunSummary& summary) const {
    std::string text = summary.id + "  " + statusName(summary.status);
    if (!summary.phase.empty() && summary.phase != "training")
        text += ": " + summary.phase;
    text += "\nstep " + formatCount(summary.step);
    if (summary.max_steps && *summary.max_steps > 0)
        text +=
            " of " + formatCount(*summary.max_steps) + " " +
            barText(static_cast<double>(summary.step) / static_cast<double>(*summary.max_steps), gaugeWidth);
    text += "  left " + timeLeftText(summary.seconds_left);
    if (summary.tokens_per_second)
        text += "  " + formatCount(std::llround(*summary.tokens_per_second)) + " tok/s";
    if (summary.cost.spent)
        text += "  cost " + moneyText(summary.cost.spent, summary.cost.currency);
    if (summary.cost.projected)
        text += " of " + moneyText(summary.cost.projected, summary.cost.currency);
    text += "\nloss " + lossText(summary.train_loss) + "  validation " + lossText(summary.validation_loss) +
            "  base " + lossText(summary.base_validation_loss);
    if (summary.best)
        text += "  best " + lossText(summary.best->validation_loss) + " at step " +
                formatCount(summary.best->step);
    return text + "\n";
}

std::string AttachView::gauges() const { return sample_ ? gaugeText(*sample_) : std::string(); }

void AttachView::draw(const RunSummary& summary) {
    const int columns = terminal_.columns() - 1;
    std::string text =
        head(summary) + chart_.text(columns, std::min(chartRows, terminal_.rows() - 8)) + gauges();
    if (!lastWarning_.empty())
        text += "warning: " + lastWarning_ + "\n";
    text += "Ctrl-C detaches; the run goes on.\n";
    std::string fitted; // a wrapped line would break redrawing in place
    for (const auto line : split(std::string_view(text).substr(0, text.size() - 1), '\n'))
        fitted += clipped(line, columns) + "\n";
    terminal_.rewriteBlock(fitted);
}

} // namespace anneal::cli
