#pragma once
#include "core/base/result.h"
#include "core/schema/run_config.h"

#include <ATen/core/ScalarType.h>
#include <cstdint>
#include <string>

namespace anneal {

/// How this machine computes a run: what `auto` became.
struct Compute {
    at::ScalarType dtype;
    std::int64_t threads;
    std::string device; ///< "cpu"
    /// "AMD EPYC, 2 threads, float32"
    std::string description;
};

/// float32 or bfloat16: bfloat16 pays on CPUs with AMX alone (measured: 1.7 TFLOP/s with it, far below fp32
/// without). Threads: those this process may run on. Also tells LibTorch. `cuda` without a CUDA build is
/// InvalidInput.
Result<Compute> chooseCompute(const ModelSettings& model, const HardwareSettings& hardware);

/// "float32" or "bfloat16".
const char* dtypeName(at::ScalarType dtype);

} // namespace anneal
