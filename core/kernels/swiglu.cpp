#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/swiglu.cpp"
#include <hwy/foreach_target.h>

#include "core/kernels/elementwise.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd-inl.h"

#include <algorithm>
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

/// 1 / (1 + exp(-x)); exp's argument is held where fp32 can hold the result.
template <class D>
HWY_INLINE hn::Vec<D> sigmoid(D d, hn::Vec<D> x) {
    const auto negative = hn::Min(hn::Neg(x), hn::Set(d, 88.0f));
    return hn::Div(hn::Set(d, 1.0f), hn::Add(hn::Set(d, 1.0f), hn::Exp(d, negative)));
}

template <class D, class T>
HWY_INLINE void forwardStep(D d, const T* gate, const T* up, T* out) {
    const auto g = load(d, gate);
    store(d, hn::Mul(hn::Mul(g, sigmoid(d, g)), load(d, up)), out);
}

/// silu' = s (1 + g (1 - s)) with s = sigmoid(g).
template <class D, class T>
HWY_INLINE void backwardStep(D d, const T* dOut, T* gate, T* up) {
    const auto g = load(d, gate), u = load(d, up), dy = load(d, dOut), s = sigmoid(d, g),
               one = hn::Set(d, 1.0f);
    const auto slope = hn::Mul(s, hn::MulAdd(g, hn::Sub(one, s), one));
    store(d, hn::Mul(hn::Mul(dy, u), slope), gate);
    store(d, hn::Mul(dy, hn::Mul(g, s)), up);
}

template <class T>
void forwardRow(const T* gate, const T* up, std::int64_t n, T* out) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        forwardStep(d, gate + i, up + i, out + i);
    for (; i < n; ++i)
        forwardStep(One(), gate + i, up + i, out + i);
}

template <class T>
void backwardRow(const T* dOut, std::int64_t n, T* gate, T* up) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        backwardStep(d, dOut + i, gate + i, up + i);
    for (; i < n; ++i)
        backwardStep(One(), dOut + i, gate + i, up + i);
}

void SwigluForwardF32(const float* gate, const float* up, std::int64_t n, float* out) {
    forwardRow(gate, up, n, out);
}
void SwigluForwardBf16(const Bf16* gate, const Bf16* up, std::int64_t n, Bf16* out) {
    forwardRow(gate, up, n, out);
}
void SwigluBackwardF32(const float* dOut, std::int64_t n, float* gate, float* up) {
    backwardRow(dOut, n, gate, up);
}
void SwigluBackwardBf16(const Bf16* dOut, std::int64_t n, Bf16* gate, Bf16* up) {
    backwardRow(dOut, n, gate, up);
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(SwigluForwardF32);
HWY_EXPORT(SwigluForwardBf16);
HWY_EXPORT(SwigluBackwardF32);
HWY_EXPORT(SwigluBackwardBf16);

namespace {
std::int64_t rowGrain(std::int64_t columns) {
    return std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(1, columns));
}
} // namespace

template <class T>
void swigluForward(const T* gateUp, std::int64_t rows, std::int64_t columns, T* out, std::int64_t outStride) {
    parallelFor(0, rows, rowGrain(columns), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const T* gate = gateUp + row * 2 * columns;
            if constexpr (std::is_same_v<T, float>)
                HWY_DYNAMIC_DISPATCH(SwigluForwardF32)(gate, gate + columns, columns, out + row * outStride);
            else
                HWY_DYNAMIC_DISPATCH(SwigluForwardBf16)(gate, gate + columns, columns, out + row * outStride);
        }
    });
}

template <class T>
void swigluBackward(const T* dOut, std::int64_t dOutStride, std::int64_t rows, std::int64_t columns,
                    T* gateUp) {
    parallelFor(0, rows, rowGrain(columns), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            T* gate = gateUp + row * 2 * columns;
            if constexpr (std::is_same_v<T, float>)
                HWY_DYNAMIC_DISPATCH(SwigluBackwardF32)
            (dOut + row * dOutStride, columns, gate, gate + columns);
            else HWY_DYNAMIC_DISPATCH(SwigluBackwardBf16)(dOut + row * dOutStride, columns, gate,
                                                          gate + columns);
        }
    });
}

template void swigluForward(const float*, std::int64_t, std::int64_t, float*, std::int64_t);
template void swigluForward(const Bf16*, std::int64_t, std::int64_t, Bf16*, std::int64_t);
template void swigluBackward(const float*, std::int64_t, std::int64_t, std::int64_t, float*);
template void swigluBackward(const Bf16*, std::int64_t, std::int64_t, std::int64_t, Bf16*);

} // namespace anneal::kernels
#endif
