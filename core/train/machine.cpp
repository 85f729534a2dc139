#include "core/train/machine.h"

#include "core/base/files.h"
#include "core/base/text.h"

#include <ATen/Parallel.h>
#include <cpuid.h>
#include <sched.h>

namespace anneal {

namespace {

/// AMX bf16: CPUID leaf 7, EDX bit 22 (Intel SDM volume 2A).
bool hasAmxBf16() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & (1u << 22)) != 0;
}

std::int64_t allowedProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string processorName() {
    const auto text = readFile("/proc/cpuinfo", 4u << 20);
    if (!text)
        return "CPU";
    for (const auto line : split(*text, '\n'))
        if (line.starts_with("model name"))
            return std::string(trim(line.substr(line.find(':') + 1)));
    return "CPU";
}

} // namespace

const char* dtypeName(at::ScalarType dtype) { return dtype == at::kBFloat16 ? "bfloat16" : "float32"; }

Result<Compute> chooseCompute(const ModelSettings& model, const HardwareSettings& hardware) {
    if (hardware.device == "cuda")
        return invalidInput("hardware.device is cuda, and this engine was built for CPUs.",
                            "Set hardware.device to cpu or auto.");
    Compute compute;
    compute.device = "cpu";
    compute.threads = parseInteger(hardware.threads).value_or(allowedProcessors());
    const bool bf16 = model.dtype == "bfloat16" || (model.dtype == "auto" && hasAmxBf16());
    compute.dtype = bf16 ? at::kBFloat16 : at::kFloat;
    compute.description = processorName() + ", " + std::to_string(compute.threads) +
                          (compute.threads == 1 ? " thread, " : " threads, ") + dtypeName(compute.dtype);
    at::set_num_threads(static_cast<int>(compute.threads));
    return compute;
}

} // namespace anneal
