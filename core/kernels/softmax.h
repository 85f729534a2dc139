#pragma once
#include <cstdint>

// Parts of causal attention on one block of queries; all fp32 and on the calling thread.

namespace anneal::kernels {

/// Row i of `scores` [rows, stride] holds raw products with keys 0, 1, ...; it may see the first `firstLimit`
/// + i of them. Replaces them by softmax(scale * score), unseen ones (up to `columns`) by 0, and stores
/// log(sum(exp)).
void causalSoftmax(float* scores, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                   std::int64_t firstLimit, float scale, float* logSumExp);

/// The probabilities again, from raw scores and the kept log(sum(exp)).
void causalProbabilities(float* scores, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                         std::int64_t firstLimit, float scale, const float* logSumExp);

/// dScores = scale * p * (dP - delta[row]), written over dP.
void softmaxBackward(const float* probabilities, float* dProbabilities, std::int64_t stride,
                     std::int64_t rows, std::int64_t columns, float scale, const float* delta);

/// out[row] = sum over columns of a * b.
void rowDots(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, std::int64_t rows,
             std::int64_t columns, float* out);

/// Attention of one query over `keys` keys: out = softmax(scale * K q) V. `scores` is room for `keys` floats.
void attendOne(const float* query, const float* k, const float* v, std::int64_t stride, std::int64_t keys,
               std::int64_t headSize, float scale, float* scores, float* out);

} // namespace anneal::kernels
