#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/norm.cpp"
#include <hwy/foreach_target.h>

#include "core/kernels/elementwise.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd-inl.h"

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

HWY_INLINE float sumOfSquares(const float* x, std::int64_t n) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto a = hn::Zero(d), b = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        const auto first = hn::LoadU(d, x + i), second = hn::LoadU(d, x + i + lanes);
        a = hn::MulAdd(first, first, a);
        b = hn::MulAdd(second, second, b);
    }
    float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
    for (; i < n; ++i)
        sum += x[i] * x[i];
    return sum;
}

template <class D, class T>
HWY_INLINE void scaleStep(D d, const float* x, const float* weight, float factor, T* y) {
    store(d, hn::Mul(hn::Mul(hn::LoadU(d, x), hn::Set(d, factor)), hn::LoadU(d, weight)), y);
}

template <class T>
HWY_INLINE void scaleRow(const float* x, const float* weight, float factor, std::int64_t n, T* y) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        scaleStep(d, x + i, weight + i, factor, y + i);
    for (; i < n; ++i)
        scaleStep(One(), x + i, weight + i, factor, y + i);
}

template <class D, class T>
HWY_INLINE hn::Vec<D> weightedStep(D d, const T* dy, const float* x, const float* weight, hn::Vec<D> sum) {
    return hn::MulAdd(hn::Mul(load(d, dy), hn::LoadU(d, weight)), hn::LoadU(d, x), sum);
}

/// sum(dy * w * x)
template <class T>
HWY_INLINE float weightedDot(const T* dy, const float* x, const float* weight, std::int64_t n) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto sum = hn::Zero(d);
    auto rest = hn::Zero(One());
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        sum = weightedStep(d, dy + i, x + i, weight + i, sum);
    for (; i < n; ++i)
        rest = weightedStep(One(), dy + i, x + i, weight + i, rest);
    return hn::GetLane(hn::SumOfLanes(d, sum)) + hn::GetLane(rest);
}

template <class D, class T>
HWY_INLINE void gradientStep(D d, const T* dy, const float* x, const float* weight, float rstd, float pull,
                             float* dx) {
    const auto through = hn::Mul(hn::Mul(load(d, dy), hn::LoadU(d, weight)), hn::Set(d, rstd));
    const auto old = hn::Add(hn::LoadU(d, dx), through);
    hn::StoreU(hn::NegMulAdd(hn::LoadU(d, x), hn::Set(d, pull), old), d, dx);
}

template <class T>
HWY_INLINE void gradientRow(const T* dy, const float* x, const float* weight, float rstd, std::int64_t n,
                            float* dx) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const float pull = rstd * rstd * rstd * weightedDot(dy, x, weight, n) / static_cast<float>(n);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        gradientStep(d, dy + i, x + i, weight + i, rstd, pull, dx + i);
    for (; i < n; ++i)
        gradientStep(One(), dy + i, x + i, weight + i, rstd, pull, dx + i);
}

template <class T>
void forwardRows(const float* x, const float* weight, float eps, std::int64_t rows, std::int64_t n, T* y,
                 std::int64_t yStride, float* rstd) {
    for (std::int64_t r = 0; r < rows; ++r, x += n, y += yStride) {
        rstd[r] = 1.0f / std::sqrt(sumOfSquares(x, n) / static_cast<float>(n) + eps);
        scaleRow(x, weight, rstd[r], n, y);
    }
}
template <class T>
void repeatRows(const float* x, const float* weight, const float* rstd, std::int64_t rows, std::int64_t n,
                T* y, std::int64_t yStride) {
    for (std::int64_t r = 0; r < rows; ++r, x += n, y += yStride)
        scaleRow(x, weight, rstd[r], n, y);
}
template <class T>
void backwardRows(const T* dy, std::int64_t dyStride, const float* x, const float* weight, const float* rstd,
                  std::int64_t rows, std::int64_t n, float* dx) {
    for (std::int64_t r = 0; r < rows; ++r, x += n, dy += dyStride, dx += n)
        gradientRow(dy, x, weight, rstd[r], n, dx);
}

void NormForwardF32(const float* x, const float* w, float eps, std::int64_t rows, std::int64_t n, float* y,
                    std::int64_t stride, float* rstd) {
    forwardRows(x, w, eps, rows, n, y, stride, rstd);
}
void NormForwardBf16(const float* x, const float* w, float eps, std::int64_t rows, std::int64_t n, Bf16* y,
                     std::int64_t stride, float* rstd) {
    forwardRows(x, w, eps, rows, n, y, stride, rstd);
}
void NormRepeatF32(const float* x, const float* w, const float* rstd, std::int64_t rows, std::int64_t n,
                   float* y, std::int64_t stride) {
    repeatRows(x, w, rstd, rows, n, y, stride);
}
void NormRepeatBf16(const float* x, const float* w, const float* rstd, std::int64_t rows, std::int64_t n,
                    Bf16* y, std::int64_t stride) {
    repeatRows(x, w, rstd, rows, n, y, stride);
}
void NormBackwardF32(const float* dy, std::int64_t stride, const float* x, const float* w, const float* rstd,
                     std::int64_t rows, std::int64_t n, float* dx) {
    backwardRows(dy, stride, x, w, rstd, rows, n, dx);
}
void NormBackwardBf16(const Bf16* dy, std::int64_t stride, const float* x, const float* w, const float* rstd,
                      std::int64_t rows, std::int64_t n, float* dx) {
    backwardRows(dy, stride, x, w, rstd, rows, n, dx);
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(NormForwardF32);
HWY_EXPORT(NormForwardBf16);
HWY_EXPORT(NormRepeatF32);
HWY_EXPORT(NormRepeatBf16);
HWY_EXPORT(NormBackwardF32);
HWY_EXPORT(NormBackwardBf16);

namespace {
std::int64_t rowGrain(std::int64_t columns) {
    return std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, columns));
}
} // namespace

template <class T>
void rmsNormForward(const float* x, const float* weight, float eps, std::int64_t rows, std::int64_t columns,
                    T* y, std::int64_t yStride, float* rstd) {
    parallelFor(0, rows, rowGrain(columns), [&](std::int64_t begin, std::int64_t end) {
        const auto* from = x + begin * columns;
        auto* to = y + begin * yStride;
        if constexpr (std::is_same_v<T, float>)
            HWY_DYNAMIC_DISPATCH(NormForwardF32)
        (from, weight, eps, end - begin, columns, to, yStride, rstd + begin);
        else HWY_DYNAMIC_DISPATCH(NormForwardBf16)(from, weight, eps, end - begin, columns, to, yStride,
                                                   rstd + begin);
    });
}

template <class T>
void rmsNormRepeat(const float* x, const float* weight, const float* rstd, std::int64_t rows,
                   std::int64_t columns, T* y, std::int64_t yStride) {
    parallelFor(0, rows, rowGrain(columns), [&](std::int64_t begin, std::int64_t end) {
        const auto* from = x + begin * columns;
        auto* to = y + begin * yStride;
        if constexpr (std::is_same_v<T, float>)
            HWY_DYNAMIC_DISPATCH(NormRepeatF32)
        (from, weight, rstd + begin, end - begin, columns, to, yStride);
        else HWY_DYNAMIC_DISPATCH(NormRepeatBf16)(from, weight, rstd + begin, end - begin, columns, to,
                                                  yStride);
    });
}

template <class T>
void rmsNormBackward(const T* dy, std::int64_t dyStride, const float* x, const float* weight,
                     const float* rstd, std::int64_t rows, std::int64_t columns, float* dx) {
    parallelFor(0, rows, rowGrain(columns), [&](std::int64_t begin, std::int64_t end) {
        const auto* from = dy + begin * dyStride;
        const auto offset = begin * columns;
        if constexpr (std::is_same_v<T, float>)
            HWY_DYNAMIC_DISPATCH(NormBackwardF32)
        (from, dyStride, x + offset, weight, rstd + begin, end - begin, columns, dx + offset);
        else HWY_DYNAMIC_DISPATCH(NormBackwardBf16)(from, dyStride, x + offset, weight, rstd + begin,
                                                    end - begin, columns, dx + offset);
    });
}

template void rmsNormForward(const float*, const float*, float, std::int64_t, std::int64_t, float*,
                             std::int64_t, float*);
template void rmsNormForward(const float*, const float*, float, std::int64_t, std::int64_t, Bf16*,
                             std::int64_t, float*);
template void rmsNormRepeat(const float*, const float*, const float*, std::int64_t, std::int64_t, float*,
                            std::int64_t);
template void rmsNormRepeat(const float*, const float*, const float*, std::int64_t, std::int64_t, Bf16*,
                            std::int64_t);
template void rmsNormBackward(const float*, std::int64_t, const float*, const float*, const float*,
                              std::int64_t, std::int64_t, float*);
template void rmsNormBackward(const Bf16*, std::int64_t, const float*, const float*, const float*,
                              std::int64_t, std::int64_t, float*);

} // namespace anneal::kernels
#endif
