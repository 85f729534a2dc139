#pragma once
#include "core/protocol/state.h"

#include <memory>
#include <string>
#include <vector>

namespace anneal {

/// The driver's management library, opened at run time: without an NVIDIA driver there are simply no GPUs.
class Nvml {
public:
    /// Never fails; `isAvailable()` says whether there is a driver. `library` is for tests.
    explicit Nvml(const std::string& library = "libnvidia-ml.so.1");
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    bool isAvailable() const { return api_ != nullptr; }
    /// One sample a GPU in the order of the driver; what the driver does not give stays null.
    std::vector<GpuSample> sample() const;
    /// Processes that compute on a GPU, for `gpus: free`.
    std::vector<int> processes(int index) const;

private:
    struct Api;
    std::unique_ptr<Api> api_;
};

} // namespace anneal
