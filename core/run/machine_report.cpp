#include "core/run/machine_report.h"

#include "core/telemetry/nvml.h"

namespace anneal {

LocalMachine localMachine() {
    auto machine = detectMachine();
    for (const auto& gpu : Nvml().sample())
        machine.gpus.push_back({gpu.name, gpu.memory_total.value_or(0)});
    return machine;
}

Json machineJson(const fs::path& runsFolder) {
    const auto machine = localMachine();
    Json gpus = Json::array();
    for (const auto& gpu : machine.gpus)
        gpus.push_back({{"name", gpu.name}, {"memory", gpu.memory_bytes}});
    return {{"host", machine.host},
            {"cpu", machine.cpu},
            {"cores", machine.cores},
            {"memory", machine.memory_bytes},
            {"amx", machine.amx},
            {"gpus", gpus},
            {"runs_folder", runsFolder.string()}};
}

} // namespace anneal
