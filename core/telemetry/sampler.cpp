#include "core/telemetry/sampler.h"

#include "core/base/system.h"
#include "core/base/text.h"

#include <map>
#include <unistd.h>

namespace anneal {

namespace {

/// Share of busy ticks between two readings; nullopt when the clock did not move.
std::optional<double> busyShare(const std::optional<CpuTicks>& before, const std::optional<CpuTicks>& now) {
    if (!before || !now || now->total <= before->total || now->busy < before->busy)
        return std::nullopt;
    return static_cast<double>(now->busy - before->busy) / static_cast<double>(now->total - before->total);
}

/// Bytes per second; a counter that went back (an unplugged device) gives none.
std::optional<double> rate(double before, double now, double seconds) {
    return seconds > 0 && now >= before ? std::optional((now - before) / seconds) : std::nullopt;
}

void setRates(const std::optional<TransferBytes>& before, const std::optional<TransferBytes>& now,
              double seconds, std::optional<double>& in, std::optional<double>& out) {
    if (!before || !now)
        return;
    in = rate(before->in, now->in, seconds);
    out = rate(before->out, now->out, seconds);
}

} // namespace

TelemetrySampler::TelemetrySampler(fs::path proc, std::unique_ptr<Nvml> nvml)
    : proc_(std::move(proc)), nvml_(std::move(nvml)) {}

std::string TelemetrySampler::read(const fs::path& name) const {
    auto text = readFile(proc_ / name, 8u << 20);
    return text ? *std::move(text) : std::string();
}

TelemetrySampler::Counters TelemetrySampler::readCounters() const {
    return {monotonicSeconds(), readCpuTicks(read("stat")), readDiskBytes(read("diskstats")),
            readNetworkBytes(read("net/dev"))};
}

std::optional<double> TelemetrySampler::runMemory(std::span<const int> pids) const {
    static const auto pageBytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
    std::optional<double> sum;
    for (const int pid : pids) {
        auto bytes = readProportionalBytes(read(std::to_string(pid) + "/smaps_rollup"));
        if (!bytes)
            if (const auto pages = readResidentPages(read(std::to_string(pid) + "/statm")))
                bytes = static_cast<double>(*pages) * pageBytes;
        if (bytes)
            sum = sum.value_or(0) + *bytes;
    }
    return sum;
}

TelemetrySample TelemetrySampler::sample(std::span<const int> runPids) {
    TelemetrySample sample;
    sample.t = unixSeconds();
    sample.host = hostName();
    if (const auto memory = readMemory(read("meminfo"))) {
        sample.memory_used = memory->used;
        sample.memory_total = memory->total;
    }
    sample.run_memory = runMemory(runPids);
    auto now = readCounters();
    if (last_) {
        const double seconds = now.t - last_->t;
        sample.cpu = busyShare(last_->cpu, now.cpu);
        setRates(last_->disk, now.disk, seconds, sample.disk_read, sample.disk_write);
        setRates(last_->network, now.network, seconds, sample.network_received, sample.network_sent);
    }
    last_ = now;
    if (nvml_)
        sample.gpus = nvml_->sample();
    return sample;
}

std::vector<int> processTree(int pid, const fs::path& proc) {
    std::multimap<int, int> children;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(proc, error)) {
        const auto child = parseInteger(entry.path().filename().string());
        const auto stat =
            child ? readFile(entry.path() / "stat", 1 << 16) : Result<std::string>(std::string());
        const auto parent = stat ? readParent(*stat) : std::nullopt;
        if (child && parent)
            children.emplace(*parent, static_cast<int>(*child));
    }
    std::vector<int> tree{pid};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto [begin, end] = children.equal_range(tree[i]);
        for (auto child = begin; child != end; ++child)
            tree.push_back(child->second);
    }
    return tree;
}

} // namespace anneal
