#pragma once
#include "core/kernels/bf16.h"
#include "core/kernels/dropout.h"

#include <cstdint>

// The thin products of LoRA with dropout folded in: general matrix products are slow at the width of a rank,
// and the dropped input never exists as a whole. `mask` may be null. T is float or Bf16; sums are fp32.

namespace anneal::kernels {

/// u [rows, rank] = (mask x) A^T with A [rank, columns].
template <class T>
void loraDown(const DropoutMask* mask, const T* x, std::int64_t xStride, std::int64_t rows,
              std::int64_t columns, const float* a, std::int64_t rank, T* u, std::int64_t uStride);

/// gradA [rank, columns] += dU^T (mask x), and dx += mask (dU A) unless dx is null.
template <class T>
void loraBackward(const DropoutMask* mask, const T* x, std::int64_t xStride, std::int64_t rows,
                  std::int64_t columns, const float* a, std::int64_t rank, const T* dU, std::int64_t dUStride,
                  float* gradA, T* dx, std::int64_t dxStride);

/// gradB [columns, rank] += factor * dy^T u.
template <class T>
void loraOuter(const T* dy, std::int64_t dyStride, std::int64_t rows, std::int64_t columns, const T* u,
               std::int64_t uStride, std::int64_t rank, float factor, float* gradB);

} // namespace anneal::kernels
