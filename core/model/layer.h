#pragma once
#include "core/model/attention.h"
#include "core/model/linear_group.h"
#include "core/model/rope_table.h"

namespace anneal {

/// What one layer keeps for backward: fp32 unless it is the output of a linear.
struct LayerActivations {
    at::Tensor input;     ///< [T, hidden]
    at::Tensor rstd1;     ///< [T]
    at::Tensor qkv;       ///< fp32 [T, q + k + v], rotated
    at::Tensor logSumExp; ///< [heads, T]
    at::Tensor attention; ///< [T, q + room]: input of the output projection
    at::Tensor middle;    ///< [T, hidden] after attention
    at::Tensor rstd2;     ///< [T]
    at::Tensor gateUp;    ///< [T, 2 * intermediate]
    at::Tensor uQkv, uGateUp, uDown;
};

/// Key-value rows of earlier tokens, for generation.
struct LayerCache {
    at::Tensor keys, values; ///< fp32 [sequences, tokens, k columns]
};

/// Where the new tokens of an extend() go.
struct CacheSlots {
    std::vector<std::int64_t> sequences,
        lengths; ///< of each document in the batch: its sequence and what it holds
};

/// One decoder layer: h += attention(norm(h)); h += mlp(norm(h)).
class DecoderLayer {
public:
    static Result<DecoderLayer> load(const ModelSource& source, std::int64_t index,
                                     const DecoderOptions& options, LoraParameters& lora);

    /// out = layer(input), both fp32 [T, hidden]. `kept` is filled from `pass.saved`.
    void forward(const at::Tensor& input, const at::Tensor& out, const TokenBatch& batch,
                 const RopeTable& rope, LayerActivations& kept, Pass& pass) const;
    /// The same for new tokens behind those of a cache.
    void extend(const at::Tensor& input, const at::Tensor& out, const TokenBatch& batch,
                const RopeTable& rope, LayerCache& cache, const CacheSlots& slots, Pass& pass) const;
    /// Turns dh, the gradient of the output, into that of the input. Overwrites parts of `kept`.
    void backward(LayerActivations& kept, const at::Tensor& dh, const TokenBatch& batch,
                  const RopeTable& rope, bool wantInput, Pass& pass) const;

    std::int64_t bytes() const;

private:
    void projectQkv(const at::Tensor& input, const TokenBatch& batch, const RopeTable& rope,
                    LayerActivations& kept, Pass& pass) const;
    void attend(const std::vector<AttentionSpan>& spans, LayerActivations& kept, bool keepSums,
                Pass& pass) const;
    void projectOut(LayerActivations& kept, Pass& pass) const;
    void mlp(const at::Tensor& out, LayerActivations& kept, Pass& pass) const;
    void mlpBackward(LayerActivations& kept, const at::Tensor& dh, Pass& pass) const;
    void attentionHalfBackward(LayerActivations& kept, const at::Tensor& dh, const TokenBatch& batch,
                               const RopeTable& rope, bool wantInput, Pass& pass) const;

    AttentionShape shape_;
    double eps_ = 1e-5;
    at::Tensor norm1_, norm2_; ///< fp32 [hidden]
    LinearGroup qkv_, o_, gateUp_, down_;
};

} // namespace anneal
