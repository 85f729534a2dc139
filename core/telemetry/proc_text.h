#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace anneal {

// Counters out of the texts of /proc, apart from where the texts come from, so that samples of them can be
// tested. A text that does not hold the value gives nullopt.

/// Ticks of all cores since boot, from /proc/stat.
struct CpuTicks {
    std::uint64_t busy = 0, total = 0;
};
std::optional<CpuTicks> readCpuTicks(std::string_view stat);

/// From /proc/meminfo; used is what could not be given to another program (total less available).
struct MemoryBytes {
    double used = 0, total = 0;
};
std::optional<MemoryBytes> readMemory(std::string_view meminfo);

/// Resident pages of a process, from /proc/PID/statm.
std::optional<std::uint64_t> readResidentPages(std::string_view statm);
/// Proportional set size in bytes, from /proc/PID/smaps_rollup: shared pages are divided among their users.
std::optional<double> readProportionalBytes(std::string_view smapsRollup);

/// Sums since boot.
struct TransferBytes {
    double in = 0, out = 0;
};
/// Whole disks of /proc/diskstats: partitions, loop and RAM devices and stacked devices would count bytes
/// twice.
std::optional<TransferBytes> readDiskBytes(std::string_view diskstats);
/// All interfaces but loopback, from /proc/net/dev.
std::optional<TransferBytes> readNetworkBytes(std::string_view netDev);

/// Parent of a process, from /proc/PID/stat.
std::optional<int> readParent(std::string_view stat);

} // namespace anneal
