#pragma once
#include "core/model/pass.h"
#include "core/model/weights.h"

namespace anneal {

/// Embedding, final norm and output head, unquantized. The head is the embedding where the model ties them.
class EmbeddingAndHead {
public:
    static Result<EmbeddingAndHead> load(const ModelSource& source, at::ScalarType type);

    /// fp32 rows of the embedding into `out` [T, hidden].
    void embed(const at::Tensor& ids, const at::Tensor& out) const;

    /// Cross-entropy of the positions whose label is not -100; others are never multiplied. With `gradScale`,
    /// the gradient of the hidden states goes to dHidden [T, hidden] (overwritten). Logits exist for a chunk
    /// at a time.
    LossSum loss(const at::Tensor& hidden, const at::Tensor& labels, const double* gradScale,
                 const at::Tensor& dHidden, Pass& pass) const;

    /// fp32 logits [rows, vocab] of hidden states.
    at::Tensor logits(const at::Tensor& hidden, Pass& pass) const;

    std::int64_t vocabulary() const { return head_.size(0); }
    std::int64_t bytes() const;

private:
    /// Rows [begin, end) of the supervised positions.
    double chunkLoss(const at::Tensor& normed, const at::Tensor& labels, const float* gradScale,
                     const at::Tensor& dNormed, Pass& pass) const;

    double eps_ = 1e-5;
    at::Tensor norm_;      ///< fp32 [hidden]
    at::Tensor embedding_; ///< compute type [vocab, hidden]
    at::Tensor head_;      ///< compute type [vocab, hidden]
};

} // namespace anneal
