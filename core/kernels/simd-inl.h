// Loads and stores of fp32 and bf16 as fp32 vectors, once for each instruction set: no include guard by
// design.
#if defined(ANNEAL_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANNEAL_SIMD_INL_H_
#undef ANNEAL_SIMD_INL_H_
#else
#define ANNEAL_SIMD_INL_H_
#endif

#include "core/kernels/bf16.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using One = hn::CappedTag<float, 1>; // for the elements that do not fill a vector

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* from) {
    return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const Bf16* from) {
    const hn::Rebind<std::uint16_t, D> half;
    const hn::RebindToUnsigned<D> bits;
    const auto loaded = hn::LoadU(half, reinterpret_cast<const std::uint16_t*>(from));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(bits, loaded)));
}

template <class D>
HWY_INLINE void store(D d, hn::Vec<D> value, float* to) {
    hn::StoreU(value, d, to);
}
/// Nearest, ties to even. NaN becomes a NaN as long as its payload is not all in the low half, as
/// arithmetic's is not.
template <class D>
HWY_INLINE void store(D /*d*/, hn::Vec<D> value, Bf16* to) {
    const hn::Rebind<std::uint16_t, D> half;
    const hn::RebindToUnsigned<D> bits;
    const hn::RebindToSigned<D> signedBits;
    const auto raw = hn::BitCast(bits, value);
    const auto odd = hn::And(hn::ShiftRight<16>(raw), hn::Set(bits, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(raw, hn::Add(odd, hn::Set(bits, 0x7FFFu))));
    hn::StoreU(hn::DemoteTo(half, hn::BitCast(signedBits, rounded)), half,
               reinterpret_cast<std::uint16_t*>(to));
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();
#endif
