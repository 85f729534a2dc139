#pragma once
#include "core/plan/catalogue.h"
#include "core/plan/time_estimate.h"
#include "core/schema/problem.h"

#include <optional>

namespace anneal {

/// What this machine has. GPUs are filled in by who can ask the driver.
struct LocalMachine {
    struct Gpu {
        std::string name;
        double memory_bytes = 0;
    };
    std::string host, cpu;
    std::int64_t cores = 1; ///< that this process may use
    double memory_bytes = 0;
    bool amx = false; ///< bf16 tiles
    std::vector<Gpu> gpus;
};

/// Reads /proc: no GPUs.
LocalMachine detectMachine();
/// From the text of /proc/cpuinfo and /proc/meminfo.
LocalMachine detectMachine(std::string_view cpuinfo, std::string_view meminfo);

struct PlanInput {
    RunConfig config;
    ModelConfig model;
    std::optional<DataCounts> data; ///< nothing: the data was not read
    Catalogue catalogue;
    LocalMachine machine;
};

/// What the run would cost on one machine. Unknown figures are nullopt.
struct CostOption {
    std::string provider, machine;
    bool fits = false;
    std::optional<double> hours, total, per_million_tokens;
    std::string currency, source, date;
};

struct Plan {
    std::string machine; ///< what memory and time are about: "8 x H100 (Lambda)"
    std::int64_t ranks = 1;
    double memory_available = 0; ///< bytes of one GPU, or of this machine
    double trainable_parameters = 0;
    double sequences_per_step = 0;
    MemoryEstimate memory;
    TimeEstimate time;
    std::vector<CostOption> cost; ///< the configured one first, then by price; what does not fit last
    Problems problems;            ///< does not fit, budget, very short run
};

/// Memory, time and cost of a run. The machine is this one when it has what the configuration asks for; for a
/// GPU run on a machine without GPUs it is the configured provider's, else the cheapest of the catalogue that
/// fits.
Plan makePlan(const PlanInput& input);

/// {"memory": {"per_gpu_bytes", "parts", ...}, "time": {...}, "cost": [...], "problems": [...], ...}
Json toJson(const Plan& plan);

} // namespace anneal
