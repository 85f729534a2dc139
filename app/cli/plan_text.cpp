#include "app/cli/plan_text.h"

#include "app/cli/progress_view.h"
#include "app/cli/report.h"
#include "core/base/text.h"
#include "core/modelfile/model_source.h"
#include "core/run/config_service.h"
#include "core/run/preparation.h"
#include "core/run/termination.h"

#include <cmath>

namespace anneal::cli {

namespace {

constexpr std::size_t offersShown = 12;

std::string memoryText(const Plan& plan) {
    TextTable table;
    table.add({"memory of " + plan.machine, ""});
    for (const auto& [part, bytes] : plan.memory.parts)
        table.add({"  " + part, formatBytes(bytes)});
    table.add({"  total a rank", formatBytes(plan.memory.total_bytes)});
    table.add(
        {"  available", formatBytes(plan.memory_available) + (plan.memory.fits ? "" : ": it does not fit")});
    return table.text();
}

std::string timeText(const TimeEstimate& time) {
    TextTable table;
    table.add({"time", formatDuration(time.seconds) + " (" + formatDuration(time.seconds_low) + " to " +
                           formatDuration(time.seconds_high) + ")"});
    table.add({"steps", formatCount(std::llround(time.steps))});
    table.add({"tokens", formatCount(std::llround(time.tokens))});
    return table.text() + "basis: " + time.basis + "\n";
}

std::string costTable(const std::vector<CostOption>& options) {
    TextTable table;
    table.add({"provider", "machine", "fits", "hours", "total", "per 1M tokens", "price of"});
    for (std::size_t i = 0; i < options.size() && i < offersShown; ++i) {
        const auto& option = options[i];
        char hours[32] = "-";
        if (option.hours)
            std::snprintf(hours, sizeof hours, "%.2f", *option.hours);
        table.add({option.provider, option.machine, option.fits ? "yes" : "no", hours,
                   moneyText(option.total, option.currency),
                   moneyText(option.per_million_tokens, option.currency), option.date});
    }
    return table.text();
}

} // namespace

Result<PreparedData> prepareWithProgress(const RunConfig& config) {
    TerminationSignals::install();
    CancelToken cancel;
    Terminal terminal(stderr);
    ProgressThrottle throttle;
    const auto progress = [&](const PrepareProgress& p) {
        if (TerminationSignals::interrupts() + TerminationSignals::gentle() > 0)
            cancel.cancel();
        if (throttle.due(p.phase))
            terminal.rewriteLine(phaseLine({"preparing data: " + p.phase, p.done, p.total, p.unit}));
    };
    auto prepared = prepareConfig(config, progress, cancel);
    terminal.rewriteLine("");
    if (!prepared && cancel.cancelled())
        return Error{"Stopped on request.", "", ErrorKind::Stopped};
    return prepared;
}

namespace {

/// Why the data cannot be counted though the plan can be made: it, or the model's tokenizer, is not on this
/// machine.
std::optional<std::string> whyUncounted(const RunConfig& config, const ModelSource& model) {
    if (config.data.train.empty())
        return "No training data is configured";
    std::error_code ignored;
    for (const auto& source : config.data.train)
        if (!fs::exists(source.path, ignored))
            return "The data file " + source.path + " does not exist";
    const auto& tokenizer = model.tokenizer();
    if (tokenizer.tokenizerJson.empty() && tokenizer.sentencePieceModel.empty() && !tokenizer.ggml)
        return "The model " + model.path().string() + " has no tokenizer";
    return std::nullopt;
}

} // namespace

Result<Plan> planWithData(const RunConfig& config) {
    ANNEAL_TRY(const auto model, openModel(config.model.path));
    if (const auto why = whyUncounted(config, *model)) {
        ANNEAL_TRY(auto plan, planConfig(config, std::nullopt));
        plan.problems.push_back({"data.train", 0, Severity::Warning,
                                 *why + "; tokens and time are assumed from the configuration.",
                                 "Give data and a tokenizer for exact figures."});
        return plan;
    }
    ANNEAL_TRY(const auto data, prepareWithProgress(config));
    return planConfig(config, countData(data, config));
}

std::string planText(const Plan& plan) {
    std::string text = memoryText(plan) + "\n" + timeText(plan.time);
    if (!plan.cost.empty())
        text += "\n" + costTable(plan.cost);
    for (const auto& problem : plan.problems)
        text += "\n" + std::string(severityName(problem.severity)) + ": " + problem.text + " " + problem.fix +
                "\n";
    return text;
}

} // namespace anneal::cli
