#include "core/plan/plan.h"

#include "core/base/system.h"
#include "core/base/text.h"

#include <algorithm>
#include <sched.h>

namespace anneal {

namespace {

/// "key : value" lines of /proc files; the first of a name counts.
std::string_view valueOf(std::string_view text, std::string_view key) {
    for (const auto line : split(text, '\n'))
        if (const auto colon = line.find(':');
            colon != std::string_view::npos && trim(line.substr(0, colon)) == key)
            return trim(line.substr(colon + 1));
    return {};
}

std::int64_t allowedCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

bool hasFlag(std::string_view flags, std::string_view flag) {
    const auto words = split(flags, ' ');
    return std::find(words.begin(), words.end(), flag) != words.end();
}

} // namespace

LocalMachine detectMachine(std::string_view cpuinfo, std::string_view meminfo) {
    LocalMachine machine;
    machine.cpu = valueOf(cpuinfo, "model name");
    machine.amx = hasFlag(valueOf(cpuinfo, "flags"), "amx_bf16");
    const auto total = valueOf(meminfo, "MemTotal");
    machine.memory_bytes = parseDouble(trim(total.substr(0, total.find("kB")))).value_or(0) * 1024;
    return machine;
}

LocalMachine detectMachine() {
    const auto cpuinfo = readFile("/proc/cpuinfo"), meminfo = readFile("/proc/meminfo");
    auto machine = detectMachine(cpuinfo ? *cpuinfo : std::string(), meminfo ? *meminfo : std::string());
    machine.host = hostName();
    machine.cores = allowedCores();
    return machine;
}

} // namespace anneal
