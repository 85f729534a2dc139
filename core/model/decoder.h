#pragma once
#include "core/base/cancel.h"
#include "core/model/lora.h"
#include "core/modelfile/model_source.h"
#include "core/schema/run_config.h"

#include <ATen/core/Tensor.h>
#include <functional>
#include <memory>
#include <vector>

namespace anneal {

/// Documents one after another without padding. A packed sequence is several documents; so is a batch of
/// unpacked rows: attention is causal inside each document and never crosses a border.
struct TokenBatch {
    at::Tensor input_ids;                 ///< int64 [T]
    at::Tensor labels;                    ///< int64 [T], shifted: what position t has to predict, or -100
    at::Tensor positions;                 ///< int64 [T], 0.. in each document
    std::vector<std::int64_t> cu_seqlens; ///< [documents + 1], 0 .. T
    /// [documents] global number of each document's row, for random draws
    std::vector<std::uint64_t> document_keys;
};

/// Sum of the token losses (natural log) in fp64 and the number of supervised tokens.
struct LossSum {
    double loss = 0;
    std::int64_t tokens = 0;
};

/// Where dropout draws come from: every mask bit is a function of (seed, step, document key, module,
/// position, feature).
struct DropoutKey {
    std::uint64_t seed = 0;
    std::int64_t step = 0;
};

struct DecoderOptions {
    at::ScalarType compute_dtype = at::kFloat; ///< fp32 or bf16
    QuantizationSettings quantization;
    LoraSettings lora;
    bool trainable = true; ///< false: no adapter is made unless one is given
    bool gradient_checkpointing = false;
    std::uint64_t seed = 42; ///< of LoRA's initialisation
    std::string adapter;     ///< folder of a PEFT adapter to load; empty: initialise as PEFT does
};

/// Keys and values of what was generated so far, for a batch of sequences of unequal length.
class KvCache;

/// The frozen 4-bit base with its LoRA adapter.
class Decoder {
public:
    using Progress = std::function<void(std::int64_t done, std::int64_t total)>; ///< tensors

    /// Streams weights tensor by tensor from the map into NF4; peak memory is the quantized model and one
    /// tensor.
    static Result<std::unique_ptr<Decoder>> load(std::shared_ptr<const ModelSource> source,
                                                 const DecoderOptions& options, const Progress& progress,
                                                 const CancelToken& cancel);
    ~Decoder();

    const ModelConfig& config() const;
    LoraParameters& lora();
    const LoraParameters& lora() const;

    /// Adds the gradient of loss * gradScale to lora().grads(); returns the unscaled sums.
    Result<LossSum> forwardBackward(const TokenBatch& batch, double gradScale, const DropoutKey& key);
    /// No gradients, no dropout.
    Result<LossSum> evaluate(const TokenBatch& batch);
    /// fp32 [T, vocab]: for tests and small inputs.
    Result<at::Tensor> logits(const TokenBatch& batch);

    /// An empty cache for `sequences` sequences of at most `maxTokens` tokens each.
    std::shared_ptr<KvCache> makeCache(std::int64_t sequences, std::int64_t maxTokens) const;
    /// Feeds `ids[i]` to sequence `rows[i]` of the cache (each a non-empty run of new tokens, lengths may
    /// differ) and returns the fp32 logits [rows, vocab] after the last token of each.
    Result<at::Tensor> extend(KvCache& cache, const std::vector<std::int64_t>& rows,
                              const std::vector<std::vector<std::int32_t>>& ids);

    /// LoRA on or off for evaluation of the base.
    void setAdapterEnabled(bool enabled);
    std::int64_t totalParameters() const;
    /// Bytes held by the base (codes, scales, unquantized tensors).
    std::int64_t baseBytes() const;

private:
    struct Impl;
    explicit Decoder(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace anneal
