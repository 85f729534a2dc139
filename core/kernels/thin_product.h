#pragma once
#include "core/kernels/nf4.h"

#include <cstdint>

namespace anneal::kernels {

/// Rows up to which thinProduct() is quicker than dequantizing a matrix for a general product.
inline constexpr std::int64_t thinRows = 16;

/// LoRA's share of a thin product: its u, and B [outputs, rank].
template <class T>
struct ThinAdapter {
    const T* u = nullptr;
    std::int64_t uStride = 0, rank = 0;
    const float* b = nullptr;
    float scale = 1;
};

/// y [rows, matrix rows] = x W^T + scale * u B^T for a few rows, as in generation: each row of W is
/// dequantized into the first-level cache, used for all rows of x, and forgotten. The columns of W are whole
/// blocks of 64.
template <class T>
void thinProduct(const Nf4Matrix& matrix, const T* x, std::int64_t xStride, std::int64_t rows,
                 const ThinAdapter<T>& adapter, T* y, std::int64_t yStride);

} // namespace anneal::kernels
