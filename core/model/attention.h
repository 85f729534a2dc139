#pragma once
#include "core/modelfile/model_config.h"

#include <ATen/core/Tensor.h>
#include <vector>

namespace anneal {

/// Heads of grouped-query attention.
struct AttentionShape {
    std::int64_t heads = 0, kvHeads = 0, headSize = 0;
    float scale = 1;

    static AttentionShape of(const ModelConfig& config);
    std::int64_t queryColumns() const { return heads * headSize; }
    std::int64_t kvColumns() const { return kvHeads * headSize; }
    std::int64_t columns() const { return queryColumns() + 2 * kvColumns(); } ///< of q, k and v side by side
};

/// Consecutive queries of one sequence and the keys they see: the last query sees all, each one before one
/// fewer.
struct AttentionSpan {
    std::int64_t firstQuery = 0, queries = 0; ///< rows of the query matrix
    const float* keys = nullptr;              ///< row 0, head 0; rows are `stride` floats apart
    const float* values = nullptr;
    std::int64_t stride = 0, keyCount = 0;
};

/// Spans of documents whose keys and values are columns of `qkv` [tokens, columns()].
std::vector<AttentionSpan> documentSpans(const AttentionShape& shape, const at::Tensor& qkv,
                                         const std::vector<std::int64_t>& cuSeqlens);

/// out [tokens, heads * headSize] = causal attention, fp32; queries are the first columns of `qkv`. Scores
/// exist for a block of queries at a time. `logSumExp` [heads, tokens] is kept for backward, or undefined.
void attentionForward(const AttentionShape& shape, const std::vector<AttentionSpan>& spans,
                      const at::Tensor& qkv, const at::Tensor& out, const at::Tensor& logSumExp);

/// Gradients of documents' attention: dqkv [tokens, columns()] is overwritten.
void attentionBackward(const AttentionShape& shape, const std::vector<AttentionSpan>& spans,
                       const at::Tensor& qkv, const at::Tensor& out, const at::Tensor& logSumExp,
                       const at::Tensor& dOut, const at::Tensor& dqkv);

} // namespace anneal
