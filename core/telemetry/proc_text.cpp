#include "core/telemetry/proc_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <vector>

namespace anneal {

namespace {

constexpr double sectorBytes = 512; // /proc/diskstats counts in these, whatever the disk's own sectors are

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> list;
    for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != std::string_view::npos;) {
        const auto end = std::min(text.find_first_of(" \t", at), text.size());
        list.push_back(text.substr(at, end - at));
        at = end;
    }
    return list;
}

std::uint64_t number(std::string_view text) {
    return static_cast<std::uint64_t>(parseInteger(text).value_or(0));
}

/// Bytes of "Name:   123 kB".
std::optional<double> kibibytes(std::string_view text, std::string_view name) {
    for (const auto line : split(text, '\n')) {
        if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':')
            continue;
        const auto parts = words(line.substr(name.size() + 1));
        const auto value = parts.empty() ? std::nullopt : parseDouble(parts[0]);
        return value ? std::optional(*value * 1024) : std::nullopt;
    }
    return std::nullopt;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// sda, vda, xvda, hda, nvme0n1, mmcblk0: no partition, nothing stacked on others.
bool isWholeDisk(std::string_view name) {
    if (name.starts_with("nvme") || name.starts_with("mmcblk"))
        return name.find('p', name.starts_with("mmcblk") ? 6 : 4) == std::string_view::npos &&
               name.find("boot") == std::string_view::npos;
    const bool isDisk =
        name.starts_with("sd") || name.starts_with("vd") || name.starts_with("xvd") || name.starts_with("hd");
    return isDisk && !isDigit(name.back());
}

} // namespace

std::optional<CpuTicks> readCpuTicks(std::string_view stat) {
    if (!stat.starts_with("cpu "))
        return std::nullopt;
    const auto fields = words(stat.substr(4, stat.find('\n') - 4));
    if (fields.size() < 4)
        return std::nullopt;
    CpuTicks ticks;
    constexpr std::size_t idle = 3, waiting = 4, guest = 8; // guest time is already part of user time
    for (std::size_t i = 0; i < std::min(fields.size(), guest); ++i) {
        ticks.total += number(fields[i]);
        if (i != idle && i != waiting)
            ticks.busy += number(fields[i]);
    }
    return ticks;
}

std::optional<MemoryBytes> readMemory(std::string_view meminfo) {
    const auto total = kibibytes(meminfo, "MemTotal"), available = kibibytes(meminfo, "MemAvailable");
    if (!total || !available)
        return std::nullopt;
    return MemoryBytes{*total - *available, *total};
}

std::optional<std::uint64_t> readResidentPages(std::string_view statm) {
    const auto fields = words(trim(statm));
    return fields.size() < 2 ? std::nullopt : std::optional(number(fields[1]));
}

std::optional<double> readProportionalBytes(std::string_view smapsRollup) {
    return kibibytes(smapsRollup, "Pss");
}

std::optional<TransferBytes> readDiskBytes(std::string_view diskstats) {
    TransferBytes sum;
    bool any = false;
    for (const auto line : split(diskstats, '\n')) {
        constexpr std::size_t name = 2, sectorsRead = 5, sectorsWritten = 9;
        const auto fields = words(line);
        if (fields.size() <= sectorsWritten || !isWholeDisk(fields[name]))
            continue;
        any = true;
        sum.in += static_cast<double>(number(fields[sectorsRead])) * sectorBytes;
        sum.out += static_cast<double>(number(fields[sectorsWritten])) * sectorBytes;
    }
    return any ? std::optional(sum) : std::nullopt;
}

std::optional<TransferBytes> readNetworkBytes(std::string_view netDev) {
    TransferBytes sum;
    bool any = false;
    for (const auto line : split(netDev, '\n')) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || trim(line.substr(0, colon)) == "lo")
            continue;
        constexpr std::size_t received = 0, sent = 8;
        const auto fields = words(line.substr(colon + 1));
        if (fields.size() <= sent)
            continue;
        any = true;
        sum.in += static_cast<double>(number(fields[received]));
        sum.out += static_cast<double>(number(fields[sent]));
    }
    return any ? std::optional(sum) : std::nullopt;
}

std::optional<int> readParent(std::string_view stat) {
    const auto afterName = stat.rfind(')'); // the name may itself hold spaces and brackets
    if (afterName == std::string_view::npos)
        return std::nullopt;
    const auto fields = words(stat.substr(afterName + 1));
    const auto parent = fields.size() < 2 ? std::nullopt : parseInteger(fields[1]);
    return parent ? std::optional(static_cast<int>(*parent)) : std::nullopt;
}

} // namespace anneal
