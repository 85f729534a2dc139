#pragma once
#include "core/base/files.h"
#include "core/modelfile/model_config.h"
#include "core/schema/run_config.h"

#include <ATen/core/Tensor.h>
#include <string>
#include <vector>

namespace anneal {

/// One LoRA matrix inside the flat buffers.
struct LoraEntry {
    std::string name; ///< PEFT: "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"
    std::int64_t layer = 0;
    std::string module; ///< "self_attn.q_proj"
    bool is_b = false;
    std::int64_t offset = 0;         ///< first element in the flat buffers
    std::vector<std::int64_t> shape; ///< A: [r, in], B: [out, r]
};

/// All adapter matrices as views into one flat fp32 master and one flat fp32 gradient, so that the optimizer,
/// the norm and an all-reduce are single passes. Order: layer, then linear as in linearShapes(), then A
/// before B.
class LoraParameters {
public:
    LoraParameters() = default;
    /// A ~ U(-1/sqrt(in), 1/sqrt(in)), B = 0, drawn from (seed, entry) alone.
    static Result<LoraParameters> initialise(const ModelConfig& model, const LoraSettings& settings,
                                             std::uint64_t seed);
    /// Values from a PEFT folder; every wanted tensor must be there with its shape, rank and alpha as in its
    /// adapter_config.json (they win over `settings`, a difference is reported in `settings`).
    static Result<LoraParameters> load(const ModelConfig& model, LoraSettings& settings,
                                       const fs::path& folder);

    bool empty() const { return entries_.empty(); }
    const std::vector<LoraEntry>& entries() const { return entries_; }
    at::Tensor& values() { return values_; } ///< fp32 [P]
    const at::Tensor& values() const { return values_; }
    at::Tensor& grads() { return grads_; }          ///< fp32 [P]
    at::Tensor value(const LoraEntry& entry) const; ///< view
    at::Tensor grad(const LoraEntry& entry) const;  ///< view
    double scaling() const { return scaling_; }     ///< alpha / r, or alpha / sqrt(r)
    double dropout() const { return dropout_; }
    const LoraSettings& settings() const { return settings_; }

    /// adapter_model.safetensors and adapter_config.json as PEFT writes them. `baseModel` is the path or
    /// name.
    Status save(const fs::path& folder, const std::string& baseModel) const;

private:
    /// Entries and zeroed buffers for these settings.
    static Result<LoraParameters> layOut(const ModelConfig& model, const LoraSettings& settings);

    std::vector<LoraEntry> entries_;
    at::Tensor values_, grads_;
    LoraSettings settings_;
    double scaling_ = 1, dropout_ = 0;
};

} // namespace anneal
