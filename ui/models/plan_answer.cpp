#include "ui/models/plan_answer.h"

#include "core/protocol/state.h"
#include "ui/client/text.h"
#include "ui/models/number_text.h"

namespace anneal {

namespace {

QString timeText(const PlanTime& time) {
    if (!time.seconds_low || !time.seconds_high)
        return text::duration(time.seconds);
    return text::durationRange(TimeLeft{*time.seconds_low, *time.seconds_high});
}

QString costLine(const PlanCost& cost) {
    return QString("| %1 | %2 | %3 | %4 |\n")
        .arg(toQt(cost.provider), toQt(cost.machine), text::money(cost.total, cost.currency),
             cost.fits ? "yes" : "no");
}

} // namespace

QString partName(const std::string& part) { return toQt(part).replace('_', ' '); }

QString planMarkdown(const PlanAnswer& plan) {
    auto result = QString("**Plan for %1**\n\n").arg(toQt(plan.machine));
    result += "- memory: " + text::bytesOf(plan.memory.per_gpu_bytes, plan.memory.available_bytes) +
              (plan.memory.fits ? "" : " (does not fit)") + "\n";
    for (const auto& [part, bytes] : plan.memory.parts.items())
        result += "  - " + partName(part) + ": " + text::bytes(numberFromJson(bytes)) + "\n";
    result +=
        QString("- steps: %1, tokens: %2\n").arg(text::count(plan.time.steps), text::count(plan.time.tokens));
    result += "- time: " + timeText(plan.time) + " (" + toQt(plan.time.basis) + ")\n\n";
    result += "| Provider | Machine | Cost | Fits |\n| --- | --- | ---: | --- |\n";
    for (const auto& cost : plan.cost)
        result += costLine(cost);
    return result;
}

} // namespace anneal
