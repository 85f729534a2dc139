#include "core/plan/memory_estimate.h"

#include <algorithm>
#include <numeric>

namespace anneal {

namespace {

/// Rows of logits that are computed at a time, never the whole [tokens, vocabulary].
constexpr double logitsRows = 1024;
/// CUDA context, library workspaces; or a process with LibTorch.
constexpr double gpuRuntime = 1.3e9, cpuRuntime = 0.4e9;
/// What the allocator cannot use.
constexpr double fragmentation = 0.04;
/// A plan that fills more than this is not safe.
constexpr double usableShare = 0.94;

double number(std::int64_t value) { return static_cast<double>(value); }

bool isTarget(const LoraSettings& lora, const std::string& name) {
    const auto& targets = lora.target_modules;
    return std::find(targets.begin(), targets.end(), "all-linear") != targets.end() ||
           std::find(targets.begin(), targets.end(), name) != targets.end();
}

/// Bytes of the scales of n quantized weights: fp32 for each block, or one byte each and fp32 for each 256 of
/// them.
double scaleBytes(const QuantizationSettings& quantization, double weights) {
    const double blocks = weights / number(std::max<std::int64_t>(1, quantization.block_size));
    return quantization.double_quant ? blocks * (1 + 4.0 / 256) : blocks * 4;
}

/// Values a layer keeps for its backward pass, per token: the same sum as in the engine's memory budget.
double keptPerToken(const ModelConfig& model) {
    const double query = number(model.num_attention_heads * model.head_dim);
    const double keyValue = number(model.num_key_value_heads * model.head_dim);
    return 4 * number(model.hidden_size) + 2 * query + 2 * keyValue + 3 * number(model.intermediate_size);
}

class MemoryEstimator {
public:
    MemoryEstimator(const ModelConfig& model, const RunConfig& config, const RankMachine& machine,
                    double longestRow)
        : model_(model), config_(config), machine_(machine) {
        const double length = config.data.packing ? number(config.data.max_length)
                                                  : std::min(longestRow, number(config.data.max_length));
        tokens_ = number(config.training.per_device_batch_size) * length;
    }

    MemoryEstimate estimate() {
        const auto& sharding = config_.hardware.sharding;
        auto replicated = withCheckpointing(false);
        if (sharding == "replicate" || machine_.ranks <= 1 || (sharding == "auto" && replicated.fits))
            return replicated;
        return withCheckpointing(true);
    }

private:
    MemoryEstimate withCheckpointing(bool sharded) const {
        const auto& wish = config_.training.gradient_checkpointing;
        const bool tooMuch = allActivations() > machine_.memory_bytes / 2;
        return estimate(sharded, wish == "on" || (wish == "auto" && tooMuch));
    }

    double allActivations() const {
        return tokens_ * keptPerToken(model_) * machine_.element_bytes * number(model_.num_hidden_layers);
    }

    double activations(bool checkpointing) const {
        const double layers = number(model_.num_hidden_layers);
        return checkpointing ? tokens_ * number(model_.hidden_size) * machine_.element_bytes * layers +
                                   allActivations() / layers
                             : allActivations();
    }

    void addBase(MemoryEstimate& estimate, bool sharded) const {
        const double share = sharded ? 1 / machine_.ranks : 1;
        const double weights = number(model_.linearParameters());
        const bool quantized = config_.quantization.type == "nf4";
        const double codes = quantized ? weights / 2 : weights * machine_.element_bytes;
        const double scales = quantized ? scaleBytes(config_.quantization, weights) : 0;
        estimate.parts = {{"base_codes", codes * share}, {"base_scales", scales * share}};
        if (sharded) // one layer in use and one on its way
            estimate.parts.emplace_back("gathered_layers",
                                        2 * (codes + scales) / number(model_.num_hidden_layers));
        estimate.parts.emplace_back("unquantized",
                                    (number(model_.totalParameters()) - weights) * machine_.element_bytes);
        if (quantized)
            estimate.parts.emplace_back("scratch", largestLinear() * machine_.element_bytes);
    }

    double largestLinear() const {
        double largest = 0;
        for (const auto& linear : linearShapes(model_))
            largest = std::max(largest, number(linear.in_features) * number(linear.out_features));
        return largest;
    }

    MemoryEstimate estimate(bool sharded, bool checkpointing) const {
        MemoryEstimate result;
        result.sharded = sharded;
        result.gradient_checkpointing = checkpointing;
        addBase(result, sharded);
        const double adapter = loraParameters(model_, config_.lora) * 4;
        result.parts.emplace_back("lora_weights", adapter);
        result.parts.emplace_back("lora_gradients", adapter);
        result.parts.emplace_back("optimizer", 2 * adapter);
        result.parts.emplace_back("activations", activations(checkpointing));
        // Logits and their gradient in fp32.
        result.parts.emplace_back("logits",
                                  2 * std::min(tokens_, logitsRows) * number(model_.vocab_size) * 4);
        result.parts.emplace_back("runtime", machine_.gpu ? gpuRuntime : cpuRuntime);
        result.parts.emplace_back("fragmentation", fragmentation * sum(result));
        result.total_bytes = sum(result);
        result.fits = machine_.memory_bytes > 0 && result.total_bytes <= usableShare * machine_.memory_bytes;
        return result;
    }

    static double sum(const MemoryEstimate& estimate) {
        return std::accumulate(estimate.parts.begin(), estimate.parts.end(), 0.0,
                               [](double total, const auto& part) { return total + part.second; });
    }

    const ModelConfig& model_;
    const RunConfig& config_;
    const RankMachine& machine_;
    double tokens_; ///< of one micro-batch
};

} // namespace

double loraParameters(const ModelConfig& model, const LoraSettings& lora) {
    double perLayer = 0;
    for (const auto& linear : linearShapes(model))
        if (isTarget(lora, linear.name))
            perLayer += number(lora.rank) * number(linear.in_features + linear.out_features);
    return perLayer * number(model.num_hidden_layers);
}

MemoryEstimate estimateMemory(const ModelConfig& model, const RunConfig& config, const RankMachine& machine,
                              double longestRow) {
    return MemoryEstimator(model, config, machine, longestRow).estimate();
}

} // namespace anneal
