// Dequantizing of one block, once for each instruction set: no include guard by design.
#if defined(ANNEAL_NF4_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANNEAL_NF4_INL_H_
#undef ANNEAL_NF4_INL_H_
#else
#define ANNEAL_NF4_INL_H_
#endif

#include "core/kernels/nf4.h"
#include "core/kernels/simd-inl.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

/// Values of `lanes` <= 8 or 16 indices of 4 bits.
template <class D, class V>
HWY_INLINE hn::Vec<D> lookUp(D d, V indices) {
    const hn::RebindToSigned<D> di;
    if constexpr (hn::MaxLanes(D()) == 16) {
        return hn::TableLookupLanes(hn::LoadU(d, nf4Values.data()), hn::IndicesFromVec(d, indices));
    } else {
        const auto low = hn::IndicesFromVec(d, hn::And(indices, hn::Set(di, 7)));
        const auto lower = hn::TableLookupLanes(hn::LoadU(d, nf4Values.data()), low);
        const auto upper = hn::TableLookupLanes(hn::LoadU(d, nf4Values.data() + 8), low);
        return hn::IfThenElse(hn::RebindMask(d, hn::Gt(indices, hn::Set(di, 7))), upper, lower);
    }
}

/// One full block of codes times its scale.
template <class T>
HWY_INLINE void dequantizeBlock(const std::uint8_t* codes, float scale, T* out) {
#if HWY_MAX_BYTES >= 32
    const hn::CappedTag<float, 16> d;
    const hn::RebindToSigned<decltype(d)> di;
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    HWY_ALIGN static constexpr std::int32_t shifts[16] = {4, 0, 12, 8, 20, 16, 28, 24,
                                                          4, 0, 12, 8, 20, 16, 28, 24};
    const auto shift = hn::LoadU(di, shifts);
    for (std::int64_t i = 0; i < nf4Block; i += lanes) {
        std::int32_t words[2];
        std::memcpy(words, codes + i / 2, static_cast<std::size_t>(lanes / 2));
        auto packed = hn::Set(di, words[0]);
        if constexpr (hn::MaxLanes(d) == 16) {
            const hn::Half<decltype(di)> half;
            packed = hn::Combine(di, hn::Set(half, words[1]), hn::Set(half, words[0]));
        }
        const auto indices = hn::And(hn::Shr(packed, shift), hn::Set(di, 15));
        store(d, hn::Mul(lookUp(d, indices), hn::Set(d, scale)), out + i);
    }
#else
    for (std::int64_t i = 0; i < nf4Block; i += 2) {
        const std::uint8_t pair = codes[i / 2];
        store(One(), hn::Set(One(), nf4Values[pair >> 4] * scale), out + i);
        store(One(), hn::Set(One(), nf4Values[pair & 15] * scale), out + i + 1);
    }
#endif
}

/// `blocks` full blocks from block `first` on.
template <class T>
HWY_INLINE void dequantizeBlocks(const Nf4Matrix& matrix, std::int64_t first, std::int64_t blocks, T* out) {
    const auto& map = dynamicMap();
    for (std::int64_t i = 0; i < blocks; ++i)
        dequantizeBlock(matrix.codes.data() + (first + i) * (nf4Block / 2),
                        blockScale(matrix, map, first + i), out + i * nf4Block);
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();
#endif
