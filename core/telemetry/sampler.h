#pragma once
#include "core/base/files.h"
#include "core/protocol/state.h"
#include "core/telemetry/nvml.h"
#include "core/telemetry/proc_text.h"

#include <memory>
#include <span>

namespace anneal {

/// Takes samples of this host about once a second. Rates (CPU, disk, network) are means since the sample
/// before; the first sample has none of them. Without a driver its list of GPUs is empty.
class TelemetrySampler {
public:
    /// `proc` is another folder in tests.
    explicit TelemetrySampler(fs::path proc = "/proc", std::unique_ptr<Nvml> nvml = std::make_unique<Nvml>());

    /// `runPids`: the processes of the run, whose memory is summed, shared pages once; those that ended count
    /// nothing.
    TelemetrySample sample(std::span<const int> runPids);

private:
    struct Counters {
        double t = 0; ///< monotonic seconds
        std::optional<CpuTicks> cpu;
        std::optional<TransferBytes> disk, network;
    };

    Counters readCounters() const;
    std::optional<double> runMemory(std::span<const int> pids) const;
    std::string read(const fs::path& name) const;

    fs::path proc_;
    std::unique_ptr<Nvml> nvml_;
    std::optional<Counters> last_;
};

/// `pid` and all that descend from it, from /proc.
std::vector<int> processTree(int pid, const fs::path& proc = "/proc");

} // namespace anneal
