#pragma once
#include "core/modelfile/model_config.h"
#include "core/schema/run_config.h"

#include <string>
#include <utility>
#include <vector>

namespace anneal {

/// Where one rank computes.
struct RankMachine {
    bool gpu = false;
    double memory_bytes = 0;  ///< of one GPU, or of the machine divided by its ranks
    double element_bytes = 2; ///< of the compute type
    double ranks = 1;
};

/// Bytes one rank needs, by what they hold.
struct MemoryEstimate {
    std::vector<std::pair<std::string, double>> parts;
    double total_bytes = 0;
    bool gradient_checkpointing = false;
    bool sharded = false;
    bool fits = false;
};

/// Trainable parameters of the adapter.
double loraParameters(const ModelConfig& model, const LoraSettings& lora);

/// `longestRow` in tokens bounds an unpacked micro-batch. `auto` settings are decided as the engine does:
/// checkpoint when the activations would take more than half of the memory, shard when the whole base does
/// not fit.
MemoryEstimate estimateMemory(const ModelConfig& model, const RunConfig& config, const RankMachine& machine,
                              double longestRow);

} // namespace anneal
