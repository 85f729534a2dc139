#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/dropout.cpp"
#include <hwy/foreach_target.h>

#include "core/base/random.h"
#include "core/kernels/dropout.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd-inl.h"

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

using Bits = hn::CappedTag<std::uint32_t, 16>;
using BitVec = hn::Vec<Bits>;

/// High and low halves of a 32 x 32 bit product of every lane.
HWY_INLINE void multiply(Bits d, BitVec a, BitVec b, BitVec& high, BitVec& low) {
#if HWY_TARGET == HWY_SCALAR
    const std::uint64_t product = std::uint64_t{hn::GetLane(a)} * hn::GetLane(b);
    high = hn::Set(d, static_cast<std::uint32_t>(product >> 32));
    low = hn::Set(d, static_cast<std::uint32_t>(product));
#else
    const hn::RepartitionToWide<Bits> wide;
    const auto even = hn::MulEven(a, b);
    const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))),
                                 hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, b))));
    high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
    low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
#endif
}

/// Philox 4x32-10 of core/base/random.h with counters (c[lane], position low, position high, 0).
HWY_INLINE void draw(Bits d, std::uint64_t key, BitVec c, std::uint64_t position, BitVec out[4]) {
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    BitVec x0 = c, x1 = hn::Set(d, static_cast<std::uint32_t>(position));
    BitVec x2 = hn::Set(d, static_cast<std::uint32_t>(position >> 32)), x3 = hn::Zero(d);
    const auto m0 = hn::Set(d, 0xD2511F53u), m1 = hn::Set(d, 0xCD9E8D57u);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        BitVec highA, lowA, highB, lowB;
        multiply(d, x0, m0, highA, lowA);
        multiply(d, x2, m1, highB, lowB);
        x0 = hn::Xor(hn::Xor(highB, x1), hn::Set(d, k0));
        x2 = hn::Xor(hn::Xor(highA, x3), hn::Set(d, k1));
        x1 = lowB;
        x3 = lowA;
    }
    out[0] = x0, out[1] = x1, out[2] = x2, out[3] = x3;
}

/// factors[0 .. 127] of group `group`: scale where kept, 0 where dropped.
HWY_INLINE void groupFactors(std::uint64_t key, std::uint64_t position, std::uint32_t group, std::uint32_t threshold,
                             float scale, float* factors) {
    const Bits d;
    const hn::RebindToFloat<Bits> df;
    const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
    for (std::uint32_t j = 0; j < 16; j += lanes) {
        BitVec words[4];
        draw(d, key, hn::Iota(d, group * 16 + j), position, words);
        for (std::uint32_t k = 0; k < 8; ++k) {
            const auto bits = k % 2 == 0 ? hn::And(words[k / 2], hn::Set(d, 0xFFFFu)) : hn::ShiftRight<16>(words[k / 2]);
            const auto dropped = hn::RebindMask(df, hn::Lt(hn::BitCast(hn::RebindToSigned<Bits>(), bits),
                                                           hn::Set(hn::RebindToSigned<Bits>(),
                                                                   static_cast<std::int32_t>(threshold))));
            hn::StoreU(hn::IfThenZeroElse(dropped, hn::Set(df, scale)), df, factors + k * 16 + j);
        }
    }
}

template <class T>
HWY_INLINE void multiplyRow(const T* from, const float* factors, std::int64_t n, T* to) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        store(d, hn::Mul(load(d, from + i), hn::LoadU(d, factors + i)), to + i);
    for (; i < n; ++i)
        store(One(), hn::Mul(load(One(), from + i), hn::LoadU(One(), factors + i)), to + i);
}

template <class T>
HWY_INLINE void multiplyAddRow(const T* from, const float* factors, std::int64_t n, T* to) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        store(d, hn::MulAdd(load(d, from + i), hn::LoadU(d, factors + i), load(d, to + i)), to + i);
    for (; i < n; ++i)
        store(One(), hn::MulAdd(load(One(), from + i), hn::LoadU(One(), factors + i), load(One(), to + i)), to + i);
}

template <bool add, class T>
void dropoutRow(std::uint64_t key, std::uint64_t position, std::uint32_t threshold, float scale, const T* from,
                std::int64_t n, T* to) {
    HWY_ALIGN float factors[128];
    for (std::int64_t begin = 0; begin < n; begin += 128) {
        groupFactors(key, position, static_cast<std::uint32_t>(begin / 128), threshold, scale, factors);
        const std::int64_t count = std::min<std::int64_t>(128, n - begin);
        if constexpr (add)
            multiplyAddRow(from + begin, factors, count, to + begin);
        else
            multiplyRow(from + begin, factors, count, to + begin);
    }
}

void DropoutF32(std::uint64_t key, std::uint64_t position, std::uint32_t threshold, float scale, const float* from,
                std::int64_t n, float* to) {
    dropoutRow<false>(key, position, threshold, scale, from, n, to);
}
void DropoutBf16(std::uint64_t key, std::uint64_t position, std::uint32_t threshold, float scale, const Bf16* from,
                 std::int64_t n, Bf16* to) {
    dropoutRow<false>(key, position, threshold, scale, from, n, to);
}
void DropoutAddF32(std::uint64_t key, std::uint64_t position, std::uint32_t threshold, float scale, const float* from,
                   std::int64_t n, float* to) {
    dropoutRow<true>(key, position, threshold, scale, from, n, to);
}
void DropoutAddBf16(std::uint64_t key, std::uint64_t position, std::uint32_t threshold, float scale, const Bf16* from,
                    std::int64_t n, Bf16* to) {
    dropoutRow<true>(key, position, threshold, scale, from, n, to);
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(DropoutF32);
HWY_EXPORT(DropoutBf16);
HWY_EXPORT(DropoutAddF32);
HWY_EXPORT(DropoutAddBf16);

std::uint32_t DropoutMask::thresholdFor(double probability) {
    return static_cast<std::uint32_t>(std::lround(std::clamp(probability, 0.0, 65535.0 / 65536.0) * 65536.0));
}

std::uint64_t dropoutKey(std::uint64_t seed, std::int64_t step, std::uint64_t document, std::uint32_t module) {
    const std::uint64_t ofStep = randomBits(randomKey(seed, RandomUse::Dropout), static_cast<std::uint64_t>(step));
    return randomBits(ofStep, document, module);
}

namespace {

template <bool add>
void oneRow(std::uint64_t key, std::uint64_t position, const DropoutMask& mask, const float* from, std::int64_t n, float* to) {
    if constexpr (add)
        HWY_DYNAMIC_DISPATCH(DropoutAddF32)(key, position, mask.threshold, mask.scale(), from, n, to);
    else
        HWY_DYNAMIC_DISPATCH(DropoutF32)(key, position, mask.threshold, mask.scale(), from, n, to);
}
template <bool add>
void oneRow(std::uint64_t key, std::uint64_t position, const DropoutMask& mask, const Bf16* from, std::int64_t n, Bf16* to) {
    if constexpr (add)
        HWY_DYNAMIC_DISPATCH(DropoutAddBf16)(key, position, mask.threshold, mask.scale(), from, n, to);
    else
        HWY_DYNAMIC_DISPATCH(DropoutBf16)(key, position, mask.threshold, mask.scale(), from, n, to);
}

template <bool add, class T>
void allRows(const DropoutMask& mask, const T* from, std::int64_t fromStride, std::int64_t rows, std::int64_t columns,
             T* to, std::int64_t toStride) {
    parallelFor(0, rows, std::max<std::int64_t>(1, 8192 / columns), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const auto key = mask.documentKeys[static_cast<std::size_t>(mask.documentOfRow[row])];
            oneRow<add>(key, static_cast<std::uint64_t>(mask.positions[row]), mask, from + row * fromStride, columns,
                        to + row * toStride);
        }
    });
}

} // namespace

template <class T>
void dropoutForward(const DropoutMask& mask, const T* from, std::int64_t fromStride, std::int64_t rows,
                    std::int64_t columns, T* to, std::int64_t toStride) {
    allRows<false>(mask, from, fromStride, rows, columns, to, toStride);
}
template <class T>
void dropoutBackward(const DropoutMask& mask, const T* from, std::int64_t fromStride, std::int64_t rows,
                     std::int64_t columns, T* to, std::int64_t toStride) {
    allRows<true>(mask, from, fromStride, rows, columns, to, toStride);
}

template void dropoutForward(const DropoutMask&, const float*, std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t);
template void dropoutForward(const DropoutMask&, const Bf16*, std::int64_t, std::int64_t, std::int64_t, Bf16*, std::int64_t);
template void dropoutBackward(const DropoutMask&, const float*, std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t);
template void dropoutBackward(const DropoutMask&, const Bf16*, std::int64_t, std::int64_t, std::int64_t, Bf16*, std::int64_t);

} // namespace anneal::kernels
#endif
