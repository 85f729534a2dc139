#pragma once
#include "core/protocol/record.h"

#include <QString>

namespace anneal {

// The answer of `plan`, as the summary of a new run reads it. Unknown figures are null.

struct PlanMemory {
    std::optional<double> per_gpu_bytes, available_bytes;
    Json parts = Json::object();
    bool fits = true;
    static constexpr auto fields() {
        using T = PlanMemory;
        return std::tuple{field("per_gpu_bytes", &T::per_gpu_bytes),
                          field("available_bytes", &T::available_bytes), field("parts", &T::parts),
                          field("fits", &T::fits)};
    }
};

struct PlanTime {
    std::optional<std::int64_t> tokens, steps;
    std::optional<double> seconds_low, seconds, seconds_high;
    std::string basis;
    static constexpr auto fields() {
        using T = PlanTime;
        return std::tuple{field("tokens", &T::tokens),
                          field("steps", &T::steps),
                          field("seconds_low", &T::seconds_low),
                          field("seconds", &T::seconds),
                          field("seconds_high", &T::seconds_high),
                          field("basis", &T::basis)};
    }
};

struct PlanCost {
    std::string provider, machine, currency = "USD";
    bool fits = false;
    std::optional<double> hours, total;
    std::optional<std::string> source, date;
    static constexpr auto fields() {
        using T = PlanCost;
        return std::tuple{field("provider", &T::provider), field("machine", &T::machine),
                          field("currency", &T::currency), field("fits", &T::fits),
                          field("hours", &T::hours),       field("total", &T::total),
                          field("source", &T::source),     field("date", &T::date)};
    }
};

struct PlanAnswer {
    PlanMemory memory;
    PlanTime time;
    std::vector<PlanCost> cost;
    std::string machine;
    std::optional<std::int64_t> ranks, trainable_parameters;
    Json problems = Json::array();
    static constexpr auto fields() {
        using T = PlanAnswer;
        return std::tuple{
            field("memory", &T::memory),    field("time", &T::time),
            field("cost", &T::cost),        field("machine", &T::machine),
            field("ranks", &T::ranks),      field("trainable_parameters", &T::trainable_parameters),
            field("problems", &T::problems)};
    }
};

/// The plan in words, for a dialog and the clipboard.
QString planMarkdown(const PlanAnswer& plan);
/// "base_codes" -> "base codes"
QString partName(const std::string& part);

} // namespace anneal
