// Quantizing and dequantizing of whole blocks, for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/nf4_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/kernels/index.h"
#include "core/kernels/nf4-inl.h"
#include "core/kernels/nf4.h"
#include "core/kernels/simd-inl.h"

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

/// Largest absolute value of a full block.
HWY_INLINE float largestOf(const float* values) {
    const Wide d;
    auto largest = hn::Zero(d);
    for (std::int64_t i = 0; i < nf4Block; i += static_cast<std::int64_t>(hn::Lanes(d)))
        largest = hn::Max(largest, hn::Abs(hn::LoadU(d, values + i)));
    return hn::GetLane(hn::MaxOfLanes(d, largest));
}

/// The largest absolute value as vectors compute it hides a NaN: the sum of all does not.
HWY_INLINE bool finite(const float* values) {
    const Wide d;
    auto sum = hn::Zero(d);
    for (std::int64_t i = 0; i < nf4Block; i += static_cast<std::int64_t>(hn::Lanes(d)))
        sum = hn::Add(sum, hn::Sub(hn::LoadU(d, values + i), hn::LoadU(d, values + i)));
    return hn::GetLane(hn::SumOfLanes(d, sum)) == 0.0f;
}

/// Codes of a full block as one int a weight: how many thresholds lie below weight * inverse.
HWY_INLINE void codesOf(const float* values, float inverse, std::int32_t* codes) {
    const Wide d;
    const hn::RebindToSigned<Wide> di;
    static constexpr auto thresholds = nf4Thresholds();
    for (std::int64_t i = 0; i < nf4Block; i += static_cast<std::int64_t>(hn::Lanes(d))) {
        const auto value = hn::Mul(hn::LoadU(d, values + i), hn::Set(d, inverse));
        auto code = hn::Zero(di);
        for (const float threshold : thresholds)
            code =
                hn::Sub(code, hn::VecFromMask(di, hn::RebindMask(di, hn::Gt(value, hn::Set(d, threshold)))));
        hn::StoreU(code, di, codes + i);
    }
}

/// One full block; false when a value is not finite.
HWY_INLINE bool quantizeBlock(const float* values, std::uint8_t* codes, float* absmax) {
    const float largest = largestOf(values);
    *absmax = largest;
    const float inverse = largest > 0 ? 1.0f / largest : 0.0f;
    HWY_ALIGN std::int32_t wide[nf4Block];
    codesOf(values, inverse, wide);
    for (std::int64_t i = 0; i < nf4Block / 2; ++i)
        codes[i] = static_cast<std::uint8_t>(wide[2 * i] << 4 | wide[2 * i + 1]);
    return finite(values);
}

bool QuantizeBlocks(const float* values, std::int64_t blocks, std::uint8_t* codes, float* absmax) {
    bool allFinite = true;
    for (std::int64_t i = 0; i < blocks; ++i)
        allFinite &= quantizeBlock(values + i * nf4Block, codes + i * (nf4Block / 2), absmax + i);
    return allFinite;
}

void DequantizeBlocksF32(const Nf4Matrix& matrix, std::int64_t first, std::int64_t blocks, float* out) {
    dequantizeBlocks(matrix, first, blocks, out);
}
void DequantizeBlocksBf16(const Nf4Matrix& matrix, std::int64_t first, std::int64_t blocks, Bf16* out) {
    dequantizeBlocks(matrix, first, blocks, out);
}

void RoundToBf16(float* values, std::int64_t count) {
    const Wide d;
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    HWY_ALIGN Bf16 rounded[hn::MaxLanes(Wide())];
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        store(d, load(d, values + i), rounded);
        store(d, load(d, rounded), values + i);
    }
    for (; i < count; ++i)
        values[i] = toFloat(toBf16(values[i]));
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(QuantizeBlocks);
HWY_EXPORT(DequantizeBlocksF32);
HWY_EXPORT(DequantizeBlocksBf16);
HWY_EXPORT(RoundToBf16);

namespace {

void dequantizeBlocks(const Nf4Matrix& matrix, std::int64_t first, std::int64_t blocks, float* out) {
    HWY_DYNAMIC_DISPATCH(DequantizeBlocksF32)(matrix, first, blocks, out);
}
void dequantizeBlocks(const Nf4Matrix& matrix, std::int64_t first, std::int64_t blocks, Bf16* out) {
    HWY_DYNAMIC_DISPATCH(DequantizeBlocksBf16)(matrix, first, blocks, out);
}

void assign(float& to, float value) { to = value; }
void assign(Bf16& to, float value) { to = toBf16(value); }

/// Elements [first, last) of a matrix whose rows cross the borders of blocks.
template <class T>
void dequantizeElements(const Nf4Matrix& matrix, std::int64_t first, std::int64_t last, T* out) {
    const auto& map = dynamicMap();
    for (std::int64_t i = first; i < last; ++i) {
        const auto place = nf4Position(i);
        const std::uint8_t pair = matrix.codes[static_cast<std::size_t>(place.byte)];
        const auto code = static_cast<std::size_t>(place.high ? pair >> 4 : pair & 15);
        assign(*out++, nf4Values[code] * blockScale(matrix, map, place.block));
    }
}

template <class T>
void dequantizeRows(const Nf4Matrix& matrix, std::int64_t first, std::int64_t count, T* out,
                    std::int64_t stride) {
    const std::int64_t columns = matrix.columns;
    for (std::int64_t row = first; row < first + count; ++row, out += stride) {
        if (columns % nf4Block == 0)
            dequantizeBlocks(matrix, row * (columns / nf4Block), columns / nf4Block, out);
        else
            dequantizeElements(matrix, row * columns, (row + 1) * columns, out);
    }
}

} // namespace

bool quantizeNf4(std::span<const float> values, std::uint8_t* codes, float* absmax) {
    const auto blocks = static_cast<std::int64_t>(values.size()) / nf4Block;
    bool finite = HWY_DYNAMIC_DISPATCH(QuantizeBlocks)(values.data(), blocks, codes, absmax);
    const auto rest = values.subspan(static_cast<std::size_t>(blocks * nf4Block));
    if (rest.empty())
        return finite;
    float padded[nf4Block] = {};
    std::uint8_t last[nf4Block / 2];
    std::ranges::copy(rest, padded);
    finite &= HWY_DYNAMIC_DISPATCH(QuantizeBlocks)(padded, 1, last, absmax + blocks);
    std::copy_n(last, (rest.size() + 1) / 2, codes + blocks * (nf4Block / 2));
    return finite;
}

void dequantizeNf4(const Nf4Matrix& matrix, std::int64_t first, std::int64_t count, float* out,
                   std::int64_t stride) {
    dequantizeRows(matrix, first, count, out, stride);
}
void dequantizeNf4(const Nf4Matrix& matrix, std::int64_t first, std::int64_t count, Bf16* out,
                   std::int64_t stride) {
    dequantizeRows(matrix, first, count, out, stride);
}

void roundToBf16(std::span<float> values) {
    HWY_DYNAMIC_DISPATCH(RoundToBf16)(values.data(), static_cast<std::int64_t>(values.size()));
}

} // namespace anneal::kernels
#endif
