#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/lora.cpp"
#include <hwy/foreach_target.h>

#include "core/kernels/dot-inl.h"
#include "core/kernels/dropout-inl.h"
#include "core/kernels/lora.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd-inl.h"

#include <algorithm>
#include <cstring>
#include <vector>

#ifndef ANNEAL_LORA_TILE_
#define ANNEAL_LORA_TILE_
namespace anneal::kernels {
namespace {

/// Work goes in tiles of 4 rows by 128 columns, a group of dropout's draws; tiles are padded with zeros.
constexpr std::int64_t tileRows = 4, tileColumns = 128;

/// Room of one thread, in floats.
struct Room {
    std::vector<float> tile, factors, thin, a, sums;
};

/// What a row block needs to find its dropout draws.
struct RowKeys {
    const DropoutMask* mask;
    std::int64_t firstRow;
    std::uint64_t key(std::int64_t row) const {
        return mask->documentKeys[static_cast<std::size_t>(mask->documentOfRow[firstRow + row])];
    }
    std::uint64_t position(std::int64_t row) const {
        return static_cast<std::uint64_t>(mask->positions[firstRow + row]);
    }
};

/// One block of rows and one chunk of columns of a matrix.
template <class T>
struct Piece {
    const T* data;
    std::int64_t stride, rows, columns;
};

} // namespace
} // namespace anneal::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void copyRow(const T* from, std::int64_t n, float* to) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        hn::StoreU(load(d, from + i), d, to + i);
    for (; i < n; ++i)
        to[i] = toFloat(from[i]);
}

HWY_INLINE void multiplyRow(const float* factors, float* x) {
    const Wide d;
    for (std::int64_t i = 0; i < tileColumns; i += static_cast<std::int64_t>(hn::Lanes(d)))
        hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, factors + i)), d, x + i);
}

/// The piece as a padded tile [4, stride] at column `column`, multiplied by dropout's factors when there is a
/// mask. `factors` [4, 128] keeps them.
template <class T>
HWY_INLINE void fillTile(const Piece<T>& piece, const RowKeys& keys, std::int64_t group, float* factors,
                         float* tile, std::int64_t stride) {
    for (std::int64_t row = 0; row < tileRows; ++row) {
        float* to = tile + row * stride;
        const std::int64_t have = row < piece.rows ? piece.columns : 0;
        if (have > 0)
            copyRow(piece.data + row * piece.stride, have, to);
        std::fill(to + have, to + tileColumns, 0.0f);
        if (!keys.mask || have == 0)
            continue;
        float* of = factors + row * tileColumns;
        groupFactors(keys.key(row), keys.position(row), static_cast<std::uint32_t>(group),
                     keys.mask->threshold, keys.mask->scale(), of);
        multiplyRow(of, to);
    }
}

/// Rows of a thin matrix [4, rank], padded with zeros.
template <class T>
HWY_INLINE void fillThin(const T* from, std::int64_t stride, std::int64_t rows, std::int64_t rank,
                         float* to) {
    for (std::int64_t row = 0; row < tileRows; ++row, to += rank)
        if (row < rows)
            copyRow(from + row * stride, rank, to);
        else
            std::fill(to, to + rank, 0.0f);
}

/// sums [rank, 128] += thin^T [rank, 4] tile [4, 128]
HWY_INLINE void addOuter(const float* thin, std::int64_t rank, const float* tile, float* sums) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t i = 0; i < tileColumns; i += 2 * lanes) {
        const float *r0 = tile + i, *r1 = r0 + tileColumns, *r2 = r1 + tileColumns, *r3 = r2 + tileColumns;
        const auto x0 = hn::LoadU(d, r0), x1 = hn::LoadU(d, r1), x2 = hn::LoadU(d, r2), x3 = hn::LoadU(d, r3);
        const auto y0 = hn::LoadU(d, r0 + lanes), y1 = hn::LoadU(d, r1 + lanes),
                   y2 = hn::LoadU(d, r2 + lanes), y3 = hn::LoadU(d, r3 + lanes);
        for (std::int64_t j = 0; j < rank; ++j) {
            float* sum = sums + j * tileColumns + i;
            const auto t0 = hn::Set(d, thin[j]), t1 = hn::Set(d, thin[rank + j]),
                       t2 = hn::Set(d, thin[2 * rank + j]), t3 = hn::Set(d, thin[3 * rank + j]);
            const auto a = hn::MulAdd(t1, x1, hn::MulAdd(t0, x0, hn::LoadU(d, sum)));
            const auto b = hn::MulAdd(t1, y1, hn::MulAdd(t0, y0, hn::LoadU(d, sum + lanes)));
            hn::StoreU(hn::MulAdd(t3, x3, hn::MulAdd(t2, x2, a)), d, sum);
            hn::StoreU(hn::MulAdd(t3, y3, hn::MulAdd(t2, y2, b)), d, sum + lanes);
        }
    }
}

/// out [4, 128] = thin [4, rank] a [rank, 128]
HWY_INLINE void multiplyThin(const float* thin, std::int64_t rank, const float* a, float* out) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t i = 0; i < tileColumns; i += 2 * lanes) {
        auto x0 = hn::Zero(d), x1 = x0, x2 = x0, x3 = x0, y0 = x0, y1 = x0, y2 = x0, y3 = x0;
        for (std::int64_t j = 0; j < rank; ++j) {
            const auto p = hn::LoadU(d, a + j * tileColumns + i),
                       q = hn::LoadU(d, a + j * tileColumns + i + lanes);
            const auto t0 = hn::Set(d, thin[j]), t1 = hn::Set(d, thin[rank + j]),
                       t2 = hn::Set(d, thin[2 * rank + j]), t3 = hn::Set(d, thin[3 * rank + j]);
            x0 = hn::MulAdd(t0, p, x0), y0 = hn::MulAdd(t0, q, y0);
            x1 = hn::MulAdd(t1, p, x1), y1 = hn::MulAdd(t1, q, y1);
            x2 = hn::MulAdd(t2, p, x2), y2 = hn::MulAdd(t2, q, y2);
            x3 = hn::MulAdd(t3, p, x3), y3 = hn::MulAdd(t3, q, y3);
        }
        float* to = out + i;
        hn::StoreU(x0, d, to), hn::StoreU(y0, d, to + lanes), to += tileColumns;
        hn::StoreU(x1, d, to), hn::StoreU(y1, d, to + lanes), to += tileColumns;
        hn::StoreU(x2, d, to), hn::StoreU(y2, d, to + lanes), to += tileColumns;
        hn::StoreU(x3, d, to), hn::StoreU(y3, d, to + lanes);
    }
}

/// At most 4 rows of u; `a` is padded to `padded` columns.
template <class T>
void downBlock(const Piece<T>& x, const RowKeys& keys, const float* a, std::int64_t padded, std::int64_t rank,
               T* u, std::int64_t uStride, float* tile, float* factors) {
    for (std::int64_t begin = 0; begin < padded; begin += tileColumns) {
        const Piece<T> piece{x.data + begin, x.stride, x.rows, std::min(tileColumns, x.columns - begin)};
        fillTile(piece, keys, begin / tileColumns, factors, tile + begin, padded);
    }
    for (std::int64_t j = 0; j < rank; j += 2) {
        const bool both = j + 1 < rank;
        dotPair(tile, padded, a + j * padded, a + (both ? j + 1 : j) * padded, x.rows, u + j, uStride, both);
    }
}

template <class T>
HWY_INLINE void addMasked(const float* from, const float* factors, std::int64_t n, T* to) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        store(d, hn::MulAdd(hn::LoadU(d, from + i), hn::LoadU(d, factors + i), load(d, to + i)), to + i);
    for (; i < n; ++i)
        store(One(),
              hn::MulAdd(hn::LoadU(One(), from + i), hn::LoadU(One(), factors + i), load(One(), to + i)),
              to + i);
}

/// At most 4 rows and 128 columns of backward: sums += dU^T x, dx += mask (dU a).
template <class T>
void backwardBlock(const Piece<T>& x, const RowKeys& keys, std::int64_t group, const float* a,
                   std::int64_t rank, const T* dU, std::int64_t dUStride, float* sums, T* dx,
                   std::int64_t dxStride, float* thin, float* tile, float* factors) {
    fillTile(x, keys, group, factors, tile, tileColumns);
    fillThin(dU, dUStride, x.rows, rank, thin);
    addOuter(thin, rank, tile, sums);
    if (!dx)
        return;
    multiplyThin(thin, rank, a, tile);
    for (std::int64_t row = 0; row < x.rows; ++row)
        addMasked(tile + row * tileColumns, factors + row * tileColumns, x.columns, dx + row * dxStride);
}

template <class T>
void outerBlock(const Piece<T>& dy, const T* u, std::int64_t uStride, std::int64_t rank, float* sums,
                float* thin, float* tile) {
    fillTile(dy, RowKeys{nullptr, 0}, 0, static_cast<float*>(nullptr), tile, tileColumns);
    fillThin(u, uStride, dy.rows, rank, thin);
    addOuter(thin, rank, tile, sums);
}

#define ANNEAL_LORA_FUNCTIONS(T, NAME)                                                                       \
    void Down##NAME(const Piece<T>& x, const RowKeys& keys, const float* a, std::int64_t padded,             \
                    std::int64_t rank, T* u, std::int64_t uStride, float* tile, float* factors) {            \
        downBlock(x, keys, a, padded, rank, u, uStride, tile, factors);                                      \
    }                                                                                                        \
    void Backward##NAME(const Piece<T>& x, const RowKeys& keys, std::int64_t group, const float* a,          \
                        std::int64_t rank, const T* dU, std::int64_t dUStride, float* sums, T* dx,           \
                        std::int64_t dxStride, float* thin, float* tile, float* factors) {                   \
        backwardBlock(x, keys, group, a, rank, dU, dUStride, sums, dx, dxStride, thin, tile, factors);       \
    }                                                                                                        \
    void Outer##NAME(const Piece<T>& dy, const T* u, std::int64_t uStride, std::int64_t rank, float* sums,   \
                     float* thin, float* tile) {                                                             \
        outerBlock(dy, u, uStride, rank, sums, thin, tile);                                                  \
    }
ANNEAL_LORA_FUNCTIONS(float, F32)
ANNEAL_LORA_FUNCTIONS(Bf16, Bf16)

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(DownF32);
HWY_EXPORT(DownBf16);
HWY_EXPORT(BackwardF32);
HWY_EXPORT(BackwardBf16);
HWY_EXPORT(OuterF32);
HWY_EXPORT(OuterBf16);

namespace {

/// The calling thread's room, at least this large.
Room& threadRoom(std::int64_t tile, std::int64_t rank) {
    static thread_local Room room;
    const auto grow = [](std::vector<float>& values, std::int64_t count) {
        if (values.size() < static_cast<std::size_t>(count))
            values.resize(static_cast<std::size_t>(count));
    };
    grow(room.tile, tileRows * tile);
    grow(room.factors, tileRows * tileColumns);
    grow(room.thin, tileRows * rank);
    grow(room.a, rank * tileColumns);
    grow(room.sums, rank * tileColumns);
    return room;
}

std::int64_t chunksOf(std::int64_t columns) { return (columns + tileColumns - 1) / tileColumns; }

/// `a` [rank, columns] with rows padded by zeros to whole tiles.
std::vector<float> padded(const float* a, std::int64_t rank, std::int64_t columns) {
    const std::int64_t width = chunksOf(columns) * tileColumns;
    std::vector<float> wide(static_cast<std::size_t>(rank * width));
    for (std::int64_t j = 0; j < rank; ++j)
        std::copy_n(a + j * columns, columns, wide.data() + j * width);
    return wide;
}

/// Columns [begin, begin + count) of `a` as a padded tile [rank, 128].
void copyChunk(const float* a, std::int64_t rank, std::int64_t columns, std::int64_t begin,
               std::int64_t count, float* to) {
    for (std::int64_t j = 0; j < rank; ++j, to += tileColumns) {
        std::copy_n(a + j * columns + begin, count, to);
        std::fill(to + count, to + tileColumns, 0.0f);
    }
}

template <class... Arguments>
void down(const Piece<float>& x, Arguments... rest) {
    HWY_DYNAMIC_DISPATCH(DownF32)(x, rest...);
}
template <class... Arguments>
void down(const Piece<Bf16>& x, Arguments... rest) {
    HWY_DYNAMIC_DISPATCH(DownBf16)(x, rest...);
}
template <class... Arguments>
void backward(const Piece<float>& x, Arguments... rest) {
    HWY_DYNAMIC_DISPATCH(BackwardF32)(x, rest...);
}
template <class... Arguments>
void backward(const Piece<Bf16>& x, Arguments... rest) {
    HWY_DYNAMIC_DISPATCH(BackwardBf16)(x, rest...);
}
template <class... Arguments>
void outer(const Piece<float>& x, Arguments... rest) {
    HWY_DYNAMIC_DISPATCH(OuterF32)(x, rest...);
}
template <class... Arguments>
void outer(const Piece<Bf16>& x, Arguments... rest) {
    HWY_DYNAMIC_DISPATCH(OuterBf16)(x, rest...);
}

} // namespace

template <class T>
void loraDown(const DropoutMask* mask, const T* x, std::int64_t xStride, std::int64_t rows,
              std::int64_t columns, const float* a, std::int64_t rank, T* u, std::int64_t uStride) {
    const auto wide = padded(a, rank, columns);
    const std::int64_t width = chunksOf(columns) * tileColumns;
    parallelFor(0, (rows + tileRows - 1) / tileRows, 4, [&](std::int64_t begin, std::int64_t end) {
        auto& room = threadRoom(width, rank);
        for (std::int64_t row = begin * tileRows; row < std::min(rows, end * tileRows); row += tileRows)
            down(Piece<T>{x + row * xStride, xStride, std::min(tileRows, rows - row), columns},
                 RowKeys{mask, row}, wide.data(), width, rank, u + row * uStride, uStride, room.tile.data(),
                 room.factors.data());
    });
}

template <class T>
void loraBackward(const DropoutMask* mask, const T* x, std::int64_t xStride, std::int64_t rows,
                  std::int64_t columns, const float* a, std::int64_t rank, const T* dU, std::int64_t dUStride,
                  float* gradA, T* dx, std::int64_t dxStride) {
    parallelTasks(chunksOf(columns), [&](std::int64_t chunk, std::int64_t) {
        auto& room = threadRoom(tileColumns, rank);
        const std::int64_t first = chunk * tileColumns, count = std::min(tileColumns, columns - first);
        copyChunk(a, rank, columns, first, count, room.a.data());
        std::fill(room.sums.begin(), room.sums.end(), 0.0f);
        std::fill(room.factors.begin(), room.factors.end(), 1.0f); // what they stay without a mask
        for (std::int64_t row = 0; row < rows; row += tileRows)
            backward(Piece<T>{x + row * xStride + first, xStride, std::min(tileRows, rows - row), count},
                     RowKeys{mask, row}, chunk, room.a.data(), rank, dU + row * dUStride, dUStride,
                     room.sums.data(), dx ? dx + row * dxStride + first : nullptr, dxStride, room.thin.data(),
                     room.tile.data(), room.factors.data());
        for (std::int64_t j = 0; j < rank; ++j)
            for (std::int64_t i = 0; i < count; ++i)
                gradA[j * columns + first + i] += room.sums[static_cast<std::size_t>(j * tileColumns + i)];
    });
}

template <class T>
void loraOuter(const T* dy, std::int64_t dyStride, std::int64_t rows, std::int64_t columns, const T* u,
               std::int64_t uStride, std::int64_t rank, float factor, float* gradB) {
    parallelTasks(chunksOf(columns), [&](std::int64_t chunk, std::int64_t) {
        auto& room = threadRoom(tileColumns, rank);
        const std::int64_t first = chunk * tileColumns, count = std::min(tileColumns, columns - first);
        std::fill(room.sums.begin(), room.sums.end(), 0.0f);
        for (std::int64_t row = 0; row < rows; row += tileRows)
            outer(Piece<T>{dy + row * dyStride + first, dyStride, std::min(tileRows, rows - row), count},
                  u + row * uStride, uStride, rank, room.sums.data(), room.thin.data(), room.tile.data());
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t j = 0; j < rank; ++j)
                gradB[(first + i) * rank + j] +=
                    factor * room.sums[static_cast<std::size_t>(j * tileColumns + i)];
    });
}

#define ANNEAL_LORA_INSTANCES(T)                                                                             \
    template void loraDown(const DropoutMask*, const T*, std::int64_t, std::int64_t, std::int64_t,           \
                           const float*, std::int64_t, T*, std::int64_t);                                    \
    template void loraBackward(const DropoutMask*, const T*, std::int64_t, std::int64_t, std::int64_t,       \
                               const float*, std::int64_t, const T*, std::int64_t, float*, T*,               \
                               std::int64_t);                                                                \
    template void loraOuter(const T*, std::int64_t, std::int64_t, std::int64_t, const T*, std::int64_t,      \
                            std::int64_t, float, float*);
ANNEAL_LORA_INSTANCES(float)
ANNEAL_LORA_INSTANCES(Bf16)

} // namespace anneal::kernels
#endif
