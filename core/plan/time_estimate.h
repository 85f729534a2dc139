#pragma once
#include "core/plan/data_counts.h"
#include "core/plan/memory_estimate.h"

namespace anneal {

/// FLOP/s that one rank reaches in training: slow, likely, fast.
struct Throughput {
    double low = 0, mid = 0, high = 0;
    std::string basis; ///< "15-45 % of 989 TFLOP/s a GPU"
};

/// By class of machine: a share of a GPU's dense bf16 peak.
Throughput gpuThroughput(double peakFlops, const std::string& dtype);
/// By class of machine: bf16 on AMX, or fp32.
Throughput cpuThroughput(double cores, bool amx, const std::string& dtype);

struct TimeEstimate {
    double tokens = 0; ///< trained over the whole run
    double steps = 0;
    double seconds_low = 0, seconds = 0, seconds_high = 0;
    std::string basis;
};

/// What of a row a token's cost depends on.
struct TokenShape {
    double context = 0;    ///< mean length of a row, for attention
    double supervised = 1; ///< share of the tokens whose loss is taken: the head is computed for those alone
};

/// FLOP for one trained token: forward 2N, gradient of the inputs 2N, recomputation 2N with checkpointing,
/// where N are the base's linears and, for supervised tokens, the head; plus the adapter (forward, two
/// gradients) and attention.
double flopsPerToken(const ModelConfig& model, const LoraSettings& lora, bool checkpointing,
                     const TokenShape& shape);

/// Whole run: training, evaluations, and reading the base once. `counts` with no tokens gives all zero.
TimeEstimate estimateTime(const ModelConfig& model, const RunConfig& config, const DataCounts& counts,
                          const MemoryEstimate& memory, const Throughput& throughput, double ranks);

} // namespace anneal
