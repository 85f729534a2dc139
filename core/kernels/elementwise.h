#pragma once
#include "core/kernels/bf16.h"

#include <cstdint>
#include <span>

// Row-wise passes of the decoder. Matrices are row-major; `stride` is the distance of two rows in elements;
// sums are fp32. T is float or Bf16. Every call uses all threads unless it is made inside a parallel region.

namespace anneal::kernels {

/// y = x / sqrt(mean(x^2) + eps) * w; `rstd` [rows] keeps the factor for backward.
template <class T>
void rmsNormForward(const float* x, const float* weight, float eps, std::int64_t rows, std::int64_t columns,
                    T* y, std::int64_t yStride, float* rstd);
/// The forward pass again from the kept factor.
template <class T>
void rmsNormRepeat(const float* x, const float* weight, const float* rstd, std::int64_t rows,
                   std::int64_t columns, T* y, std::int64_t yStride);
/// dx += rstd * (dy * w - x * rstd^2 * mean(dy * w * x)); w is frozen.
template <class T>
void rmsNormBackward(const T* dy, std::int64_t dyStride, const float* x, const float* weight,
                     const float* rstd, std::int64_t rows, std::int64_t columns, float* dx);

/// Rotates pairs (i, i + head / 2) of each head in place by the angle of the row's position. `cosines` and
/// `sines` are [positions, headSize / 2]; `direction` is +1, or -1 for the gradient.
void rope(float* x, std::int64_t stride, std::int64_t rows, std::int64_t heads, std::int64_t headSize,
          const std::int64_t* positions, const float* cosines, const float* sines, float direction);

/// out = silu(gate) * up, where a row of `gateUp` is gate and up side by side.
template <class T>
void swigluForward(const T* gateUp, std::int64_t rows, std::int64_t columns, T* out, std::int64_t outStride);
/// Replaces gate and up by their gradients.
template <class T>
void swigluBackward(const T* dOut, std::int64_t dOutStride, std::int64_t rows, std::int64_t columns,
                    T* gateUp);

/// to = from, between types and strides.
template <class From, class To>
void copyRows(const From* from, std::int64_t fromStride, std::int64_t rows, std::int64_t columns, To* to,
              std::int64_t toStride);
/// to += from.
template <class From>
void addRows(const From* from, std::int64_t fromStride, std::int64_t rows, std::int64_t columns, float* to,
             std::int64_t toStride);

/// Cross-entropy of rows of logits against labels in [0, columns). losses[row] is log(sum(exp)) - logit of
/// the label. With `gradScale` the logits are replaced by gradScale * (softmax - one-hot).
template <class T>
void crossEntropy(T* logits, std::int64_t rows, std::int64_t columns, const std::int64_t* labels,
                  const float* gradScale, double* losses);

} // namespace anneal::kernels
