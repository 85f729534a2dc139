// The draws of dropout, once for each instruction set: no include guard by design.
#if defined(ANNEAL_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANNEAL_DROPOUT_INL_H_
#undef ANNEAL_DROPOUT_INL_H_
#else
#define ANNEAL_DROPOUT_INL_H_
#endif

#include "core/kernels/simd-inl.h"

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
HWY_INLINE void groupFactors(std::uint64_t key, std::uint64_t position, std::uint32_t group,
                             std::uint32_t threshold, float scale, float* factors) {
    const Bits d;
    const hn::RebindToFloat<Bits> df;
    const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
    for (std::uint32_t j = 0; j < 16; j += lanes) {
        BitVec words[4];
        draw(d, key, hn::Iota(d, group * 16 + j), position, words);
        for (std::uint32_t k = 0; k < 8; ++k) {
            const auto bits =
                k % 2 == 0 ? hn::And(words[k / 2], hn::Set(d, 0xFFFFu)) : hn::ShiftRight<16>(words[k / 2]);
            const auto dropped = hn::RebindMask(
                df, hn::Lt(hn::BitCast(hn::RebindToSigned<Bits>(), bits),
                           hn::Set(hn::RebindToSigned<Bits>(), static_cast<std::int32_t>(threshold))));
            hn::StoreU(hn::IfThenZeroElse(dropped, hn::Set(df, scale)), df, factors + k * 16 + j);
        }
    }
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();
#endif
