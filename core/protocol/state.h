#pragma once
#include "core/protocol/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace anneal {

/// queued, preparing, running, paused, stopping, finished, stopped, failed, interrupted.
enum class RunStatus { Queued, Preparing, Running, Paused, Stopping, Finished, Stopped, Failed, Interrupted };

const char* statusName(RunStatus status);
std::optional<RunStatus> statusFromName(std::string_view name);
/// Running or about to: a process should be alive for it.
bool isActive(RunStatus status);
inline Json toJson(RunStatus status) { return statusName(status); }
bool fromJson(const Json& json, RunStatus& status);

/// state.json: where a run stands and which process answers for it.
struct RunState {
    RunStatus status = RunStatus::Queued;
    std::string host;
    std::string boot_id;
    std::int64_t pid = 0;
    std::uint64_t pid_start_time = 0; ///< clock ticks since boot
    double heartbeat = 0;             ///< unix seconds
    std::int64_t step = 0;
    std::int64_t max_steps = 0;
    std::string phase;
    std::string reason;
    double created = 0;        ///< unix seconds
    double active_seconds = 0; ///< time under way over all starts, pauses left out
    std::optional<std::int64_t>
        exit_code; ///< of the command line; null until the supervisor is done with the run
    static constexpr auto fields() {
        using T = RunState;
        return std::tuple{field("status", &T::status),
                          field("host", &T::host),
                          field("boot_id", &T::boot_id),
                          field("pid", &T::pid),
                          field("pid_start_time", &T::pid_start_time),
                          field("heartbeat", &T::heartbeat),
                          field("step", &T::step),
                          field("max_steps", &T::max_steps),
                          field("phase", &T::phase),
                          field("reason", &T::reason),
                          field("created", &T::created),
                          field("active_seconds", &T::active_seconds),
                          field("exit_code", &T::exit_code)};
    }
};

struct BestResult {
    std::int64_t step = 0;
    double validation_loss = 0;
    static constexpr auto fields() {
        using T = BestResult;
        return std::tuple{field("step", &T::step), field("validation_loss", &T::validation_loss)};
    }
};

struct TimeLeft {
    double low = 0, high = 0; ///< seconds
    static constexpr auto fields() {
        using T = TimeLeft;
        return std::tuple{field("low", &T::low), field("high", &T::high)};
    }
};

struct CostSoFar {
    std::optional<double> spent, projected;
    std::string currency = "USD";
    static constexpr auto fields() {
        using T = CostSoFar;
        return std::tuple{field("spent", &T::spent), field("projected", &T::projected),
                          field("currency", &T::currency)};
    }
};

/// The answer of `show`, each item of `list`, the end of `run` and `attach`. Unknown numbers are null.
struct RunSummary {
    std::string id;
    RunStatus status = RunStatus::Queued;
    std::int64_t step = 0;
    std::optional<std::int64_t> max_steps;
    std::optional<double> epoch, train_loss, validation_loss, base_validation_loss;
    std::optional<BestResult> best;
    std::int64_t tokens = 0;
    std::optional<double> tokens_per_second;
    double seconds = 0;
    std::optional<TimeLeft> seconds_left;
    CostSoFar cost;
    std::string folder;
    std::string name, phase, reason;
    double created = 0;
    std::vector<std::string> tags;
    std::string model; ///< path as configured
    std::optional<double> learning_rate;
    static constexpr auto fields() {
        using T = RunSummary;
        return std::tuple{field("id", &T::id),
                          field("status", &T::status),
                          field("step", &T::step),
                          field("max_steps", &T::max_steps),
                          field("epoch", &T::epoch),
                          field("train_loss", &T::train_loss),
                          field("validation_loss", &T::validation_loss),
                          field("base_validation_loss", &T::base_validation_loss),
                          field("best", &T::best),
                          field("tokens", &T::tokens),
                          field("tokens_per_second", &T::tokens_per_second),
                          field("seconds", &T::seconds),
                          field("seconds_left", &T::seconds_left),
                          field("cost", &T::cost),
                          field("folder", &T::folder),
                          field("name", &T::name),
                          field("phase", &T::phase),
                          field("reason", &T::reason),
                          field("created", &T::created),
                          field("tags", &T::tags),
                          field("model", &T::model),
                          field("learning_rate", &T::learning_rate)};
    }
};

struct GpuSample {
    int index = 0;
    std::string name, uuid;
    std::optional<double> utilization, memory_used, memory_total, power, power_limit, temperature,
        clock; // ratio, bytes, W, C, MHz
    static constexpr auto fields() {
        using T = GpuSample;
        return std::tuple{field("index", &T::index),
                          field("name", &T::name),
                          field("uuid", &T::uuid),
                          field("utilization", &T::utilization),
                          field("memory_used", &T::memory_used),
                          field("memory_total", &T::memory_total),
                          field("power", &T::power),
                          field("power_limit", &T::power_limit),
                          field("temperature", &T::temperature),
                          field("clock", &T::clock)};
    }
};

/// One line of telemetry.jsonl. A value the machine does not give is null, never 0.
struct TelemetrySample {
    double t = 0;
    std::string host;
    std::optional<double> cpu;                            ///< share of all cores, 0-1
    std::optional<double> memory_used, memory_total;      ///< bytes
    std::optional<double> run_memory;                     ///< resident bytes of the run's processes
    std::optional<double> disk_read, disk_write;          ///< bytes per second
    std::optional<double> network_received, network_sent; ///< bytes per second
    std::vector<GpuSample> gpus;
    static constexpr auto fields() {
        using T = TelemetrySample;
        return std::tuple{field("t", &T::t),
                          field("host", &T::host),
                          field("cpu", &T::cpu),
                          field("memory_used", &T::memory_used),
                          field("memory_total", &T::memory_total),
                          field("run_memory", &T::run_memory),
                          field("disk_read", &T::disk_read),
                          field("disk_write", &T::disk_write),
                          field("network_received", &T::network_received),
                          field("network_sent", &T::network_sent),
                          field("gpus", &T::gpus)};
    }
};

} // namespace anneal
