#pragma once
#include "core/model/batch_check.h"
#include "core/model/decoder.h"
#include "core/model/head.h"
#include "core/model/layer.h"

namespace anneal {

struct Decoder::Impl {
    explicit Impl(const ModelConfig& model) : config(model), rope(model) {}

    static Result<std::unique_ptr<Impl>> load(std::shared_ptr<const ModelSource> source,
                                              const DecoderOptions& options, const Progress& progress,
                                              const CancelToken& cancel);

    LossSum forwardBackward(const TokenBatch& batch, double gradScale, const DropoutKey& key);
    LossSum evaluate(const TokenBatch& batch);
    at::Tensor logits(const TokenBatch& batch);
    at::Tensor extend(KvCache& cache, const std::vector<std::int64_t>& rows,
                      const std::vector<std::vector<std::int32_t>>& ids);

    ModelConfig config;
    at::ScalarType dtype = at::kFloat;
    bool checkpointing = false;
    bool adapterEnabled = true;
    LoraParameters lora;
    EmbeddingAndHead head;
    std::vector<DecoderLayer> layers;
    RopeTable rope;
    Workspace saved, scratch;

private:
    Pass makePass(const DropoutPlan* dropout);
    /// Hidden states [T, hidden] after the last layer, without keeping activations.
    at::Tensor hiddenStates(const TokenBatch& batch, Pass& pass);
    /// Hidden states with activations of every layer, or with `checkpointing` its input alone.
    at::Tensor forwardKeeping(const TokenBatch& batch, std::vector<LayerActivations>& kept, Pass& pass);
    void backward(std::vector<LayerActivations>& kept, const at::Tensor& dh, const TokenBatch& batch,
                  Pass& pass);
};

} // namespace anneal
