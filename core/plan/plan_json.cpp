#include "core/plan/plan.h"

#include <cmath>

namespace anneal {

namespace {

Json optional(const std::optional<double>& value) { return value ? jsonNumber(*value) : Json(nullptr); }
/// Zero stands for unknown in estimates.
Json known(double value) { return value > 0 ? jsonNumber(value) : Json(nullptr); }
Json count(double value) { return value > 0 ? Json(std::llround(value)) : Json(nullptr); }

Json memoryJson(const Plan& plan) {
    Json parts = Json::object();
    for (const auto& [name, bytes] : plan.memory.parts)
        parts[name] = std::llround(bytes);
    return {{"per_gpu_bytes", std::llround(plan.memory.total_bytes)},
            {"parts", std::move(parts)},
            {"available_bytes", count(plan.memory_available)},
            {"fits", plan.memory.fits},
            {"gradient_checkpointing", plan.memory.gradient_checkpointing},
            {"sharded", plan.memory.sharded}};
}

Json timeJson(const TimeEstimate& time) {
    return {{"tokens", count(time.tokens)},
            {"steps", count(time.steps)},
            {"seconds_low", known(time.seconds_low)},
            {"seconds", known(time.seconds)},
            {"seconds_high", known(time.seconds_high)},
            {"basis", time.basis.empty() ? "unknown: the data was not read and training.max_steps is not set"
                                         : time.basis}};
}

Json costJson(const CostOption& option) {
    return {{"provider", option.provider},
            {"machine", option.machine},
            {"fits", option.fits},
            {"hours", optional(option.hours)},
            {"total", optional(option.total)},
            {"currency", option.currency},
            {"per_million_tokens", optional(option.per_million_tokens)},
            {"source", option.source},
            {"date", option.date}};
}

} // namespace

Json toJson(const Plan& plan) {
    Json cost = Json::array();
    for (const auto& option : plan.cost)
        cost.push_back(costJson(option));
    return {{"memory", memoryJson(plan)},
            {"time", timeJson(plan.time)},
            {"cost", std::move(cost)},
            {"machine", plan.machine},
            {"ranks", plan.ranks},
            {"trainable_parameters", count(plan.trainable_parameters)},
            {"sequences_per_step", count(plan.sequences_per_step)},
            {"problems", toJson(plan.problems)["problems"]}};
}

} // namespace anneal
