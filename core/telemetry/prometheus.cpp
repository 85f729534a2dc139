#include "core/telemetry/prometheus.h"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace anneal {

namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

std::string escapeLabel(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\' || c == '"')
            escaped += '\\';
        escaped += c == '\n' ? "\\n" : std::string(1, c);
    }
    return escaped;
}

std::string numberText(double value) {
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    char buffer[64];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// Collects samples; the head of a metric is written once, before its first sample.
class TextFormat {
public:
    void metric(const char* name, const char* type, const char* help) {
        head_ = std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
        name_ = name;
    }
    void sample(const std::optional<double>& value, const Labels& labels) {
        if (!value)
            return;
        text_ += std::exchange(head_, {}) + name_ + "{";
        const char* separator = "";
        for (const auto& [label, content] : labels) {
            text_ += std::string(separator) + label + "=\"" + escapeLabel(content) + "\"";
            separator = ",";
        }
        text_ += "} " + numberText(*value) + "\n";
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_, head_;
    const char* name_ = "";
};

struct RunMetric {
    const char *name, *type, *help;
    std::optional<double> value;
};

std::vector<RunMetric> runMetrics(const RunSummary& run) {
    const auto left = [&](double TimeLeft::*bound) {
        return run.seconds_left ? std::optional((*run.seconds_left).*bound) : std::nullopt;
    };
    const auto maxSteps = run.max_steps ? std::optional(static_cast<double>(*run.max_steps)) : std::nullopt;
    return {
        {"anneal_step", "gauge", "Optimizer steps done.", static_cast<double>(run.step)},
        {"anneal_max_steps", "gauge", "Optimizer steps of the whole run.", maxSteps},
        {"anneal_epoch", "gauge", "Position in epochs.", run.epoch},
        {"anneal_train_loss", "gauge", "Mean loss over the supervised tokens of the last step.",
         run.train_loss},
        {"anneal_validation_loss", "gauge", "Validation loss of the last evaluation.", run.validation_loss},
        {"anneal_base_validation_loss", "gauge", "Validation loss before training.",
         run.base_validation_loss},
        {"anneal_learning_rate", "gauge", "Learning rate applied in the last step.", run.learning_rate},
        {"anneal_tokens_total", "counter", "Tokens trained.", static_cast<double>(run.tokens)},
        {"anneal_tokens_per_second", "gauge", "Tokens trained a second.", run.tokens_per_second},
        {"anneal_active_seconds_total", "counter", "Seconds under way, pauses left out.", run.seconds},
        {"anneal_remaining_seconds_low", "gauge", "Seconds left, early estimate.", left(&TimeLeft::low)},
        {"anneal_remaining_seconds_high", "gauge", "Seconds left, late estimate.", left(&TimeLeft::high)},
        {"anneal_cost_spent", "gauge", "Cost so far, in the run's currency.", run.cost.spent},
        {"anneal_cost_projected", "gauge", "Projected cost of the whole run, in its currency.",
         run.cost.projected},
    };
}

void addHost(TextFormat& format, const RunSummary& run, const TelemetrySample& sample) {
    const Labels labels{{"run", run.id}, {"host", sample.host}};
    const RunMetric metrics[] = {
        {"anneal_host_cpu_ratio", "gauge", "Busy share of all cores.", sample.cpu},
        {"anneal_host_memory_used_bytes", "gauge", "Memory in use on the host.", sample.memory_used},
        {"anneal_host_memory_total_bytes", "gauge", "Memory of the host.", sample.memory_total},
        {"anneal_run_memory_bytes", "gauge", "Memory of the run's processes.", sample.run_memory},
        {"anneal_host_disk_read_bytes_per_second", "gauge", "Read from disks.", sample.disk_read},
        {"anneal_host_disk_written_bytes_per_second", "gauge", "Written to disks.", sample.disk_write},
        {"anneal_host_network_received_bytes_per_second", "gauge", "Received.", sample.network_received},
        {"anneal_host_network_sent_bytes_per_second", "gauge", "Sent.", sample.network_sent},
    };
    for (const auto& metric : metrics) {
        format.metric(metric.name, metric.type, metric.help);
        format.sample(metric.value, labels);
    }
}

struct GpuMetric {
    const char *name, *help;
    std::optional<double> GpuSample::*value;
    double scale = 1;
};

constexpr GpuMetric gpuMetrics[] = {
    {"anneal_gpu_utilization_ratio", "Share of time in which a kernel ran.", &GpuSample::utilization},
    {"anneal_gpu_memory_used_bytes", "GPU memory in use.", &GpuSample::memory_used},
    {"anneal_gpu_memory_total_bytes", "GPU memory.", &GpuSample::memory_total},
    {"anneal_gpu_power_watts", "Power drawn.", &GpuSample::power},
    {"anneal_gpu_power_limit_watts", "Power cap in force.", &GpuSample::power_limit},
    {"anneal_gpu_temperature_celsius", "Temperature.", &GpuSample::temperature},
    {"anneal_gpu_clock_hertz", "Clock of the multiprocessors.", &GpuSample::clock, 1e6},
};

void addGpus(TextFormat& format, const RunSummary& run, const TelemetrySample& sample) {
    for (const auto& metric : gpuMetrics) {
        format.metric(metric.name, "gauge", metric.help);
        for (const auto& gpu : sample.gpus)
            if (const auto& value = gpu.*(metric.value))
                format.sample(*value * metric.scale,
                              {{"run", run.id}, {"host", sample.host}, {"gpu", std::to_string(gpu.index)}});
    }
}

} // namespace

std::string prometheusText(const RunSummary& run, const TelemetrySample* telemetry) {
    TextFormat format;
    format.metric("anneal_run_info", "gauge", "A run with its version and status.");
    format.sample(1, {{"run", run.id}, {"version", ANNEAL_VERSION}, {"status", statusName(run.status)}});
    for (const auto& metric : runMetrics(run)) {
        format.metric(metric.name, metric.type, metric.help);
        format.sample(metric.value, {{"run", run.id}});
    }
    if (telemetry) {
        addHost(format, run, *telemetry);
        addGpus(format, run, *telemetry);
    }
    return format.take();
}

} // namespace anneal
