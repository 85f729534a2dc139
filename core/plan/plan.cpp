#include "core/plan/plan.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace anneal {

namespace {

/// Below this a schedule hardly unfolds.
constexpr double fewSteps = 50;

double number(std::int64_t value) { return static_cast<double>(value); }

/// A machine to estimate for, ours or rented.
struct Target {
    std::string provider, machine, device; ///< device: the GPU or CPU a rank computes on
    RankMachine rank;
    Throughput throughput;
    std::optional<double> hourly; ///< of all machines together
    std::string currency, source, date;
    std::int64_t ranks = 1;
    bool tooFewGpus = false;
    bool configured = false; ///< cost.provider means it
};

struct Estimate {
    Target target;
    MemoryEstimate memory;
    TimeEstimate time;
};

/// How many GPUs of a machine the configuration asks for; 0: all.
std::int64_t wantedGpus(const HardwareSettings& hardware) {
    if (const auto ranks = parseInteger(hardware.ranks))
        return *ranks;
    if (hardware.gpus.find(',') != std::string::npos)
        return static_cast<std::int64_t>(split(hardware.gpus, ',').size());
    return std::max<std::int64_t>(0, parseInteger(hardware.gpus).value_or(0));
}

class Planner {
public:
    explicit Planner(const PlanInput& input) : input_(input), config_(input.config) {}

    Plan plan() {
        std::vector<Estimate> rented;
        for (const auto& offer : input_.catalogue.offers)
            rented.push_back(estimate(targetOf(offer)));
        std::stable_sort(rented.begin(), rented.end(),
                         [](const Estimate& a, const Estimate& b) { return rank(a) < rank(b); });
        const auto chosen = choose(rented);
        Plan plan = planFor(chosen);
        if (chosen.target.provider == localName)
            plan.cost.push_back(optionOf(chosen));
        for (const auto& estimate : rented)
            plan.cost.push_back(optionOf(estimate));
        addProblems(plan, chosen);
        return plan;
    }

private:
    static constexpr const char* localName = "this machine";

    Target targetOf(const MachineOffer& offer) const {
        const auto wanted = wantedGpus(config_.hardware);
        const auto used = wanted > 0 ? std::min(wanted, offer.count) : offer.count;
        Target target{offer.provider,
                      offer.machine,
                      offer.gpu.name,
                      {},
                      gpuThroughput(offer.gpu.bf16_flops, config_.model.dtype),
                      offer.hourly * number(config_.hardware.nodes),
                      offer.currency,
                      offer.source,
                      offer.date,
                      used * config_.hardware.nodes,
                      wanted > offer.count,
                      matches(offer, config_.cost.provider)};
        if (config_.cost.hourly_rate && target.configured)
            setConfiguredRate(target);
        target.rank = {true, offer.gpu.memory_bytes, elementBytes(true), number(target.ranks)};
        return target;
    }

    void setConfiguredRate(Target& target) const {
        target.hourly = *config_.cost.hourly_rate * number(config_.hardware.nodes);
        target.currency = config_.cost.currency;
        target.source = "cost.hourly_rate of the configuration";
        target.date.clear();
    }

    double elementBytes(bool gpu) const {
        const auto& dtype = config_.model.dtype;
        return dtype == "bfloat16" || (dtype == "auto" && (gpu || input_.machine.amx)) ? 2 : 4;
    }

    Target localTarget() const {
        const auto& machine = input_.machine;
        Target target;
        target.provider = localName;
        if (usesLocalGpus()) {
            const auto wanted = wantedGpus(config_.hardware);
            const auto available = static_cast<std::int64_t>(machine.gpus.size());
            const auto& gpu = machine.gpus.front();
            target.machine = target.device = gpu.name;
            target.ranks = (wanted > 0 ? std::min(wanted, available) : available) * config_.hardware.nodes;
            target.throughput = gpuThroughput(input_.catalogue.kindOf(gpu.name, gpu.memory_bytes).bf16_flops,
                                              config_.model.dtype);
            target.rank = {true, gpu.memory_bytes, elementBytes(true), number(target.ranks)};
        } else {
            const auto perNode = std::max<std::int64_t>(1, parseInteger(config_.hardware.ranks).value_or(1));
            const auto threads = number(parseInteger(config_.hardware.threads).value_or(machine.cores));
            target.machine = target.device = machine.cpu.empty() ? "CPU" : machine.cpu;
            target.ranks = perNode * config_.hardware.nodes;
            const double cores = std::min(threads, number(machine.cores) / number(perNode));
            target.throughput = cpuThroughput(cores, machine.amx, config_.model.dtype);
            target.rank = {false, machine.memory_bytes / number(perNode), elementBytes(false),
                           number(target.ranks)};
        }
        target.currency = config_.cost.currency;
        if (config_.cost.hourly_rate)
            setConfiguredRate(target);
        return target;
    }

    bool usesLocalGpus() const { return config_.hardware.device != "cpu" && !input_.machine.gpus.empty(); }

    Estimate estimate(Target target) const {
        const auto counts = input_.data ? *input_.data : assumeData(config_, number(target.ranks));
        const double longest = counts.longest_row > 0 ? counts.longest_row : number(config_.data.max_length);
        auto memory = estimateMemory(input_.model, config_, target.rank, longest);
        memory.fits = memory.fits && !target.tooFewGpus;
        auto time =
            estimateTime(input_.model, config_, counts, memory, target.throughput, number(target.ranks));
        return {std::move(target), std::move(memory), std::move(time)};
    }

    /// Sort key: what does not fit last, the configured provider first, then by price.
    static std::tuple<bool, bool, double> rank(const Estimate& estimate) {
        const double hours = estimate.time.seconds > 0 ? estimate.time.seconds / 3600 : 1;
        return {!estimate.memory.fits, !estimate.target.configured,
                hours * estimate.target.hourly.value_or(0)};
    }

    /// What memory and time are about; see makePlan().
    Estimate choose(const std::vector<Estimate>& rented) const {
        const bool named = !config_.cost.provider.empty() && input_.catalogue.knows(config_.cost.provider);
        const bool elsewhere =
            config_.hardware.device == "cuda" || (config_.hardware.device == "auto" && named);
        if (usesLocalGpus() || !elsewhere || rented.empty())
            return estimate(localTarget());
        const auto configured = std::find_if(rented.begin(), rented.end(), [](const Estimate& estimate) {
            return estimate.target.configured;
        });
        return named && configured != rented.end() ? *configured : rented.front();
    }

    Plan planFor(const Estimate& chosen) const {
        const auto& training = config_.training;
        Plan plan;
        plan.machine = std::to_string(chosen.target.ranks) + " x " + chosen.target.device + " (" +
                       chosen.target.provider + ")";
        plan.ranks = chosen.target.ranks;
        plan.memory_available = chosen.target.rank.memory_bytes;
        plan.trainable_parameters = loraParameters(input_.model, config_.lora);
        plan.sequences_per_step = number(training.per_device_batch_size) *
                                  number(training.gradient_accumulation_steps) * number(chosen.target.ranks);
        plan.memory = chosen.memory;
        plan.time = chosen.time;
        if (!plan.time.basis.empty())
            plan.time.basis += "; on " + plan.machine;
        return plan;
    }

    static CostOption optionOf(const Estimate& estimate) {
        const auto& target = estimate.target;
        CostOption option{target.provider, target.machine, estimate.memory.fits, {}, {}, {},
                          target.currency, target.source,  target.date};
        if (estimate.time.tokens <= 0)
            return option;
        option.hours = estimate.time.seconds / 3600;
        if (target.hourly) {
            option.total = *option.hours * *target.hourly;
            option.per_million_tokens = *option.total / (estimate.time.tokens / 1e6);
        }
        return option;
    }

    void addProblems(Plan& plan, const Estimate& chosen) const {
        if (!plan.memory.fits)
            plan.problems.push_back({"training.per_device_batch_size", 0, Severity::Warning,
                                     "The run needs about " + formatBytes(plan.memory.total_bytes) +
                                         " on each of " + plan.machine + ", which has " +
                                         formatBytes(plan.memory_available) + ".",
                                     "Lower training.per_device_batch_size, data.max_length or lora.rank, or "
                                     "take another machine."});
        if (plan.time.steps > 0 && plan.time.steps < fewSteps)
            plan.problems.push_back(
                {"training.epochs", 0, Severity::Note,
                 "The run has only " + std::to_string(std::lround(plan.time.steps)) + " optimizer steps.",
                 "Lower training.gradient_accumulation_steps, or raise training.epochs."});
        addBudgetProblem(plan, chosen);
    }

    void addBudgetProblem(Plan& plan, const Estimate& chosen) const {
        const auto& budget = config_.cost.budget;
        if (!budget || !chosen.target.hourly || plan.time.seconds <= 0)
            return;
        const auto cost = [&](double seconds) { return seconds / 3600 * *chosen.target.hourly; };
        if (cost(plan.time.seconds_high) <= *budget)
            return;
        const bool likely = cost(plan.time.seconds) > *budget;
        plan.problems.push_back(
            {"cost.budget", 0, likely ? Severity::Warning : Severity::Note,
             std::string("The run ") + (likely ? "will probably" : "may") + " cost more than the budget: " +
                 formatCount(std::llround(cost(plan.time.seconds))) + " to " +
                 formatCount(std::llround(cost(plan.time.seconds_high))) + " " + chosen.target.currency + ".",
             "Raise cost.budget, train for fewer epochs, or take a cheaper machine."});
    }

    const PlanInput& input_;
    const RunConfig& config_;
};

} // namespace

Plan makePlan(const PlanInput& input) {
    PlanInput sane = input; // a form asks for plans while it is being filled in
    auto& training = sane.config.training;
    training.per_device_batch_size = std::max<std::int64_t>(1, training.per_device_batch_size);
    training.gradient_accumulation_steps = std::max<std::int64_t>(1, training.gradient_accumulation_steps);
    training.epochs = std::max(1e-6, training.epochs);
    sane.config.hardware.nodes = std::max<std::int64_t>(1, sane.config.hardware.nodes);
    sane.config.data.max_length = std::max<std::int64_t>(1, sane.config.data.max_length);
    sane.config.lora.rank = std::max<std::int64_t>(0, sane.config.lora.rank);
    return Planner(sane).plan();
}

} // namespace anneal
