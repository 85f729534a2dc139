#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/thin_product.cpp"
#include <hwy/foreach_target.h>

#include "core/kernels/dot-inl.h"
#include "core/kernels/nf4-inl.h"
#include "core/kernels/parallel.h"
#include "core/kernels/thin_product.h"

#include <algorithm>
#include <vector>

#ifndef ANNEAL_THIN_TILE_
#define ANNEAL_THIN_TILE_
namespace anneal::kernels {
namespace {

/// The rows of x with those of u behind them, fp32, padded with zeros to whole groups of 4 rows and to
/// `width`.
struct ThinTile {
    std::vector<float> values;
    std::int64_t rows = 0, width = 0, columns = 0;
};

/// B and its scale without the type of u.
struct ThinB {
    const float* b;
    std::int64_t rank;
    float scale;
};

} // namespace
} // namespace anneal::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

/// Row `row` of W and of B, one after the other, padded with zeros.
HWY_INLINE void fillRow(const Nf4Matrix& matrix, const ThinB& adapter, std::int64_t row, const ThinTile& tile,
                        float* to) {
    const std::int64_t blocks = tile.columns / nf4Block;
    dequantizeBlocks(matrix, row * blocks, blocks, to);
    for (std::int64_t j = 0; j < adapter.rank; ++j)
        to[tile.columns + j] = adapter.scale * adapter.b[row * adapter.rank + j];
}

/// Outputs [begin, end) of all rows. `room` holds two rows of W, zero behind their columns.
template <class T>
void outputs(const Nf4Matrix& matrix, const ThinB& adapter, const ThinTile& tile, std::int64_t begin,
             std::int64_t end, T* y, std::int64_t yStride, float* room) {
    for (std::int64_t row = begin; row < end; row += 2) {
        const bool both = row + 1 < end;
        fillRow(matrix, adapter, row, tile, room);
        if (both)
            fillRow(matrix, adapter, row + 1, tile, room + tile.width);
        for (std::int64_t first = 0; first < tile.rows; first += 4)
            dotPair(tile.values.data() + first * tile.width, tile.width, room, room + tile.width,
                    std::min<std::int64_t>(4, tile.rows - first), y + first * yStride + row, yStride, both);
    }
}

void OutputsF32(const Nf4Matrix& matrix, const ThinB& adapter, const ThinTile& tile, std::int64_t begin,
                std::int64_t end, float* y, std::int64_t yStride, float* room) {
    outputs(matrix, adapter, tile, begin, end, y, yStride, room);
}
void OutputsBf16(const Nf4Matrix& matrix, const ThinB& adapter, const ThinTile& tile, std::int64_t begin,
                 std::int64_t end, Bf16* y, std::int64_t yStride, float* room) {
    outputs(matrix, adapter, tile, begin, end, y, yStride, room);
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(OutputsF32);
HWY_EXPORT(OutputsBf16);

namespace {

template <class T>
ThinTile makeTile(const Nf4Matrix& matrix, const T* x, std::int64_t xStride, std::int64_t rows,
                  const ThinAdapter<T>& adapter) {
    ThinTile tile;
    tile.rows = rows;
    tile.columns = matrix.columns;
    tile.width = (matrix.columns + adapter.rank + 63) / 64 * 64;
    tile.values.resize(static_cast<std::size_t>((rows + 3) / 4 * 4 * tile.width));
    for (std::int64_t row = 0; row < rows; ++row) {
        float* to = tile.values.data() + row * tile.width;
        for (std::int64_t i = 0; i < matrix.columns; ++i)
            to[i] = toFloat(x[row * xStride + i]);
        for (std::int64_t j = 0; j < adapter.rank; ++j)
            to[matrix.columns + j] = toFloat(adapter.u[row * adapter.uStride + j]);
    }
    return tile;
}

} // namespace

template <class T>
void thinProduct(const Nf4Matrix& matrix, const T* x, std::int64_t xStride, std::int64_t rows,
                 const ThinAdapter<T>& adapter, T* y, std::int64_t yStride) {
    const auto tile = makeTile(matrix, x, xStride, rows, adapter);
    const ThinB b{adapter.b, adapter.rank, adapter.scale};
    // Pairs of outputs, so that every thread's part begins at an even row.
    const std::int64_t pairs = (matrix.rows + 1) / 2, grain = std::max<std::int64_t>(1, 32768 / tile.width);
    parallelFor(0, pairs, grain, [&](std::int64_t begin, std::int64_t end) {
        static thread_local std::vector<float> room;
        room.assign(static_cast<std::size_t>(2 * tile.width), 0.0f);
        const std::int64_t last = std::min(matrix.rows, 2 * end);
        if constexpr (std::is_same_v<T, float>)
            HWY_DYNAMIC_DISPATCH(OutputsF32)(matrix, b, tile, 2 * begin, last, y, yStride, room.data());
        else
            HWY_DYNAMIC_DISPATCH(OutputsBf16)(matrix, b, tile, 2 * begin, last, y, yStride, room.data());
    });
}

template void thinProduct(const Nf4Matrix&, const float*, std::int64_t, std::int64_t,
                          const ThinAdapter<float>&, float*, std::int64_t);
template void thinProduct(const Nf4Matrix&, const Bf16*, std::int64_t, std::int64_t, const ThinAdapter<Bf16>&,
                          Bf16*, std::int64_t);

} // namespace anneal::kernels
#endif
