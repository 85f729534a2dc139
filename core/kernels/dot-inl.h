// Dot products of 4 rows with 2, once for each instruction set: no include guard by design.
#if defined(ANNEAL_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ANNEAL_DOT_INL_H_
#undef ANNEAL_DOT_INL_H_
#else
#define ANNEAL_DOT_INL_H_
#endif

#include "core/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

/// Products of 4 rows x [4, n] with `first` and `second` [n] into columns 0 and 1 of u, for `rows` <= 4 of
/// them; n is a multiple of the lanes. Column 1 is written when `both`.
template <class T>
HWY_INLINE void dotPair(const float* x, std::int64_t n, const float* first, const float* second,
                        std::int64_t rows, T* u, std::int64_t uStride, bool both) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const float *r1 = x + n, *r2 = r1 + n, *r3 = r2 + n;
    auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (std::int64_t i = 0; i < n; i += lanes) {
        const auto p = hn::LoadU(d, first + i), q = hn::LoadU(d, second + i);
        const auto x0 = hn::LoadU(d, x + i), x1 = hn::LoadU(d, r1 + i), x2 = hn::LoadU(d, r2 + i),
                   x3 = hn::LoadU(d, r3 + i);
        a0 = hn::MulAdd(x0, p, a0), b0 = hn::MulAdd(x0, q, b0);
        a1 = hn::MulAdd(x1, p, a1), b1 = hn::MulAdd(x1, q, b1);
        a2 = hn::MulAdd(x2, p, a2), b2 = hn::MulAdd(x2, q, b2);
        a3 = hn::MulAdd(x3, p, a3), b3 = hn::MulAdd(x3, q, b3);
    }
    const float a[4] = {hn::GetLane(hn::SumOfLanes(d, a0)), hn::GetLane(hn::SumOfLanes(d, a1)),
                        hn::GetLane(hn::SumOfLanes(d, a2)), hn::GetLane(hn::SumOfLanes(d, a3))};
    const float b[4] = {hn::GetLane(hn::SumOfLanes(d, b0)), hn::GetLane(hn::SumOfLanes(d, b1)),
                        hn::GetLane(hn::SumOfLanes(d, b2)), hn::GetLane(hn::SumOfLanes(d, b3))};
    for (std::int64_t row = 0; row < rows; ++row) {
        store(One(), hn::Set(One(), a[row]), u + row * uStride);
        if (both)
            store(One(), hn::Set(One(), b[row]), u + row * uStride + 1);
    }
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();
#endif
