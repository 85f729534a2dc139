#include "core/telemetry/nvml.h"

#include <algorithm>
#include <dlfcn.h>

namespace anneal {

namespace {

// The few declarations of the library's stable C interface that are used here; 0 is success everywhere.
using Device = void*;
using Return = int;
constexpr Return success = 0, insufficientSize = 7;
constexpr unsigned temperatureOfGpu = 0, clockOfSm = 1;

struct Utilization {
    unsigned gpu, memory; ///< percent
};
struct Memory {
    unsigned long long total, free, used; ///< bytes
};
struct Process {
    unsigned pid;
    unsigned long long usedMemory;
    unsigned gpuInstance, computeInstance;
};

/// Closes a library that dlopen opened.
struct Closer {
    void operator()(void* handle) const { ::dlclose(handle); }
};

template <class Function>
void load(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
}

} // namespace

struct Nvml::Api {
    std::unique_ptr<void, Closer> library;
    Return (*init)() = nullptr;
    Return (*shutdown)() = nullptr;
    Return (*count)(unsigned*) = nullptr;
    Return (*handle)(unsigned, Device*) = nullptr;
    Return (*name)(Device, char*, unsigned) = nullptr;
    Return (*uuid)(Device, char*, unsigned) = nullptr;
    Return (*utilization)(Device, Utilization*) = nullptr;
    Return (*memory)(Device, Memory*) = nullptr;
    Return (*power)(Device, unsigned*) = nullptr;
    Return (*powerLimit)(Device, unsigned*) = nullptr;
    Return (*temperature)(Device, unsigned, unsigned*) = nullptr;
    Return (*clock)(Device, unsigned, unsigned*) = nullptr;
    Return (*processes)(Device, unsigned*, Process*) = nullptr;

    void loadAll() {
        void* const from = library.get();
        load(from, "nvmlInit_v2", init);
        load(from, "nvmlShutdown", shutdown);
        load(from, "nvmlDeviceGetCount_v2", count);
        load(from, "nvmlDeviceGetHandleByIndex_v2", handle);
        load(from, "nvmlDeviceGetName", name);
        load(from, "nvmlDeviceGetUUID", uuid);
        load(from, "nvmlDeviceGetUtilizationRates", utilization);
        load(from, "nvmlDeviceGetMemoryInfo", memory);
        load(from, "nvmlDeviceGetPowerUsage", power);
        load(from, "nvmlDeviceGetEnforcedPowerLimit", powerLimit);
        load(from, "nvmlDeviceGetTemperature", temperature);
        load(from, "nvmlDeviceGetClockInfo", clock);
        load(from, "nvmlDeviceGetComputeRunningProcesses_v3", processes);
    }

    bool hasEssentials() const { return init && shutdown && count && handle; }

    std::string text(Return (*get)(Device, char*, unsigned), Device device) const {
        char buffer[128] = {};
        return get && get(device, buffer, sizeof buffer - 1) == success ? buffer : "";
    }

    std::optional<double> value(Return (*get)(Device, unsigned*), Device device, double scale) const {
        unsigned number = 0;
        const bool given = get && get(device, &number) == success;
        return given ? std::optional(number * scale) : std::nullopt;
    }

    std::optional<double> value(Return (*get)(Device, unsigned, unsigned*), Device device,
                                unsigned what) const {
        unsigned number = 0;
        const bool given = get && get(device, what, &number) == success;
        return given ? std::optional<double>(number) : std::nullopt;
    }

    GpuSample sampleOf(int index, Device device) const {
        GpuSample sample;
        sample.index = index;
        sample.name = text(name, device);
        sample.uuid = text(uuid, device);
        Utilization rates{};
        if (utilization && utilization(device, &rates) == success)
            sample.utilization = rates.gpu / 100.0;
        Memory bytes{};
        if (memory && memory(device, &bytes) == success) {
            sample.memory_used = static_cast<double>(bytes.used);
            sample.memory_total = static_cast<double>(bytes.total);
        }
        sample.power = value(power, device, 1e-3);
        sample.power_limit = value(powerLimit, device, 1e-3);
        sample.temperature = value(temperature, device, temperatureOfGpu);
        sample.clock = value(clock, device, clockOfSm);
        return sample;
    }
};

Nvml::Nvml(const std::string& library) {
    auto api = std::make_unique<Api>();
    api->library.reset(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!api->library)
        return;
    api->loadAll();
    if (api->hasEssentials() && api->init() == success)
        api_ = std::move(api);
}

Nvml::~Nvml() {
    if (api_)
        api_->shutdown();
}

std::vector<GpuSample> Nvml::sample() const {
    std::vector<GpuSample> samples;
    unsigned count = 0;
    if (!api_ || api_->count(&count) != success)
        return samples;
    for (unsigned i = 0; i < count; ++i)
        if (Device device = nullptr; api_->handle(i, &device) == success)
            samples.push_back(api_->sampleOf(static_cast<int>(i), device));
    return samples;
}

std::vector<int> Nvml::processes(int index) const {
    Device device = nullptr;
    if (!api_ || !api_->processes || index < 0 ||
        api_->handle(static_cast<unsigned>(index), &device) != success)
        return {};
    std::vector<Process> list(64);
    auto count = static_cast<unsigned>(list.size());
    const auto result = api_->processes(device, &count, list.data());
    if (result != success && result != insufficientSize)
        return {};
    std::vector<int> pids;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, list.size()); ++i)
        pids.push_back(static_cast<int>(list[i].pid));
    return pids;
}

} // namespace anneal
