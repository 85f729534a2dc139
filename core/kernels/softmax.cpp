#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/softmax.cpp"
#include <hwy/foreach_target.h>

#include "core/kernels/elementwise.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd-inl.h"
#include "core/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <hwy/contrib/math/math-inl.h>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE float largest(const T* x, std::int64_t n) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto most = hn::Set(d, -std::numeric_limits<float>::infinity());
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        most = hn::Max(most, load(d, x + i));
    float value = hn::GetLane(hn::MaxOfLanes(d, most));
    for (; i < n; ++i)
        value = std::max(value, toFloat(x[i]));
    return value;
}

template <class D>
HWY_INLINE hn::Vec<D> exponential(D d, hn::Vec<D> x) {
    return hn::Exp(d, hn::Max(x, hn::Set(d, -100.0f)));
}

/// to = exp(scale * from - shift); returns the sum.
HWY_INLINE float expRow(const float* from, std::int64_t n, float scale, float shift, float* to) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto sum = hn::Zero(d);
    auto rest = hn::Zero(One());
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto e =
            exponential(d, hn::MulSub(hn::LoadU(d, from + i), hn::Set(d, scale), hn::Set(d, shift)));
        hn::StoreU(e, d, to + i);
        sum = hn::Add(sum, e);
    }
    for (const One one; i < n; ++i) {
        const auto e =
            exponential(one, hn::MulSub(hn::LoadU(one, from + i), hn::Set(one, scale), hn::Set(one, shift)));
        hn::StoreU(e, one, to + i);
        rest = hn::Add(rest, e);
    }
    return hn::GetLane(hn::SumOfLanes(d, sum)) + hn::GetLane(rest);
}

HWY_INLINE void scaleRow(float* x, std::int64_t n, float factor) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)), d, x + i);
    for (; i < n; ++i)
        x[i] *= factor;
}

HWY_INLINE void softmaxRow(float* scores, std::int64_t limit, std::int64_t columns, float scale,
                           float* logSumExp) {
    const float most = largest(scores, limit) * scale;
    const float sum = expRow(scores, limit, scale, most, scores);
    scaleRow(scores, limit, 1.0f / sum);
    std::fill(scores + limit, scores + columns, 0.0f);
    *logSumExp = most + std::log(sum);
}

HWY_INLINE void probabilityRow(float* scores, std::int64_t limit, std::int64_t columns, float scale,
                               float logSumExp) {
    expRow(scores, limit, scale, logSumExp, scores);
    std::fill(scores + limit, scores + columns, 0.0f);
}

HWY_INLINE void softmaxBackwardRow(const float* p, float* dp, std::int64_t n, float scale, float delta) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto difference = hn::Sub(hn::LoadU(d, dp + i), hn::Set(d, delta));
        hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(d, p + i), hn::Set(d, scale)), difference), d, dp + i);
    }
    for (; i < n; ++i)
        dp[i] = p[i] * scale * (dp[i] - delta);
}

void CausalSoftmax(float* scores, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                   std::int64_t firstLimit, float scale, float* logSumExp) {
    for (std::int64_t r = 0; r < rows; ++r)
        softmaxRow(scores + r * stride, std::min(columns, firstLimit + r), columns, scale, logSumExp + r);
}

void CausalProbabilities(float* scores, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                         std::int64_t firstLimit, float scale, const float* logSumExp) {
    for (std::int64_t r = 0; r < rows; ++r)
        probabilityRow(scores + r * stride, std::min(columns, firstLimit + r), columns, scale, logSumExp[r]);
}

void SoftmaxBackward(const float* probabilities, float* dProbabilities, std::int64_t stride,
                     std::int64_t rows, std::int64_t columns, float scale, const float* delta) {
    for (std::int64_t r = 0; r < rows; ++r)
        softmaxBackwardRow(probabilities + r * stride, dProbabilities + r * stride, columns, scale, delta[r]);
}

HWY_INLINE float dot(const float* a, const float* b, std::int64_t n) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto sum = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        sum = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum);
    float value = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; i < n; ++i)
        value += a[i] * b[i];
    return value;
}

void RowDots(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, std::int64_t rows,
             std::int64_t n, float* out) {
    for (std::int64_t r = 0; r < rows; ++r)
        out[r] = dot(a + r * aStride, b + r * bStride, n);
}

/// scores[0 .. 3] = products of the query with 4 keys: side by side, the sums hide each other's latency.
HWY_INLINE void fourDots(const float* query, const float* k, std::int64_t stride, std::int64_t n,
                         float* scores) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (std::int64_t i = 0; i < n; i += lanes) {
        const auto q = hn::LoadU(d, query + i);
        s0 = hn::MulAdd(q, hn::LoadU(d, k + i), s0);
        s1 = hn::MulAdd(q, hn::LoadU(d, k + stride + i), s1);
        s2 = hn::MulAdd(q, hn::LoadU(d, k + 2 * stride + i), s2);
        s3 = hn::MulAdd(q, hn::LoadU(d, k + 3 * stride + i), s3);
    }
    scores[0] = hn::GetLane(hn::SumOfLanes(d, s0));
    scores[1] = hn::GetLane(hn::SumOfLanes(d, s1));
    scores[2] = hn::GetLane(hn::SumOfLanes(d, s2));
    scores[3] = hn::GetLane(hn::SumOfLanes(d, s3));
}

/// out [2 vectors] = sum over keys of weight * value.
HWY_INLINE void weightedSum(const float* weights, const float* v, std::int64_t stride, std::int64_t keys,
                            float* out) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto a0 = hn::Zero(d), a1 = a0, b0 = a0, b1 = a0;
    std::int64_t t = 0;
    for (; t + 2 <= keys; t += 2, v += 2 * stride) {
        const auto w0 = hn::Set(d, weights[t]), w1 = hn::Set(d, weights[t + 1]);
        a0 = hn::MulAdd(w0, hn::LoadU(d, v), a0), b0 = hn::MulAdd(w0, hn::LoadU(d, v + lanes), b0);
        a1 = hn::MulAdd(w1, hn::LoadU(d, v + stride), a1),
        b1 = hn::MulAdd(w1, hn::LoadU(d, v + stride + lanes), b1);
    }
    if (t < keys) {
        const auto w0 = hn::Set(d, weights[t]);
        a0 = hn::MulAdd(w0, hn::LoadU(d, v), a0), b0 = hn::MulAdd(w0, hn::LoadU(d, v + lanes), b0);
    }
    hn::StoreU(hn::Add(a0, a1), d, out);
    hn::StoreU(hn::Add(b0, b1), d, out + lanes);
}

void AttendOne(const float* query, const float* k, const float* v, std::int64_t stride, std::int64_t keys,
               std::int64_t headSize, float scale, float* scores, float* out) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Wide()));
    std::int64_t t = 0;
    if (headSize % lanes == 0)
        for (; t + 4 <= keys; t += 4)
            fourDots(query, k + t * stride, stride, headSize, scores + t);
    for (; t < keys; ++t)
        scores[t] = dot(query, k + t * stride, headSize);
    float logSumExp = 0;
    softmaxRow(scores, keys, keys, scale, &logSumExp);
    std::int64_t i = 0;
    for (; i + 2 * lanes <= headSize; i += 2 * lanes)
        weightedSum(scores, v + i, stride, keys, out + i);
    for (; i < headSize; ++i) {
        out[i] = 0;
        for (t = 0; t < keys; ++t)
            out[i] += scores[t] * v[t * stride + i];
    }
}

/// sum(exp(x - shift))
template <class T>
HWY_INLINE float expSum(const T* x, std::int64_t n, float shift) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto sum = hn::Zero(d);
    auto rest = hn::Zero(One());
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        sum = hn::Add(sum, exponential(d, hn::Sub(load(d, x + i), hn::Set(d, shift))));
    for (const One one; i < n; ++i)
        rest = hn::Add(rest, exponential(one, hn::Sub(load(one, x + i), hn::Set(one, shift))));
    return hn::GetLane(hn::SumOfLanes(d, sum)) + hn::GetLane(rest);
}

/// x = factor * exp(x - shift)
template <class T>
HWY_INLINE void scaledExp(T* x, std::int64_t n, float shift, float factor) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        store(d, hn::Mul(hn::Set(d, factor), exponential(d, hn::Sub(load(d, x + i), hn::Set(d, shift)))),
              x + i);
    for (const One one; i < n; ++i)
        store(one,
              hn::Mul(hn::Set(one, factor), exponential(one, hn::Sub(load(one, x + i), hn::Set(one, shift)))),
              x + i);
}

template <class T>
HWY_INLINE double crossEntropyRow(T* logits, std::int64_t n, std::int64_t label, const float* gradScale) {
    const float most = largest(logits, n);
    const double logSumExp = most + std::log(static_cast<double>(expSum(logits, n, most)));
    const double loss = logSumExp - toFloat(logits[label]);
    if (gradScale) {
        const float ofLabel = static_cast<float>(*gradScale * (std::exp(-loss) - 1.0));
        scaledExp(logits, n, static_cast<float>(logSumExp), *gradScale);
        store(One(), hn::Set(One(), ofLabel), logits + label);
    }
    return loss;
}
double CrossEntropyF32(float* logits, std::int64_t n, std::int64_t label, const float* gradScale) {
    return crossEntropyRow(logits, n, label, gradScale);
}
double CrossEntropyBf16(Bf16* logits, std::int64_t n, std::int64_t label, const float* gradScale) {
    return crossEntropyRow(logits, n, label, gradScale);
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(CausalSoftmax);
HWY_EXPORT(CausalProbabilities);
HWY_EXPORT(SoftmaxBackward);
HWY_EXPORT(RowDots);
HWY_EXPORT(AttendOne);
HWY_EXPORT(CrossEntropyF32);
HWY_EXPORT(CrossEntropyBf16);

void causalSoftmax(float* scores, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                   std::int64_t firstLimit, float scale, float* logSumExp) {
    HWY_DYNAMIC_DISPATCH(CausalSoftmax)(scores, stride, rows, columns, firstLimit, scale, logSumExp);
}

void causalProbabilities(float* scores, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                         std::int64_t firstLimit, float scale, const float* logSumExp) {
    HWY_DYNAMIC_DISPATCH(CausalProbabilities)(scores, stride, rows, columns, firstLimit, scale, logSumExp);
}

void softmaxBackward(const float* probabilities, float* dProbabilities, std::int64_t stride,
                     std::int64_t rows, std::int64_t columns, float scale, const float* delta) {
    HWY_DYNAMIC_DISPATCH(SoftmaxBackward)(probabilities, dProbabilities, stride, rows, columns, scale, delta);
}

void rowDots(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, std::int64_t rows,
             std::int64_t columns, float* out) {
    HWY_DYNAMIC_DISPATCH(RowDots)(a, aStride, b, bStride, rows, columns, out);
}

void attendOne(const float* query, const float* k, const float* v, std::int64_t stride, std::int64_t keys,
               std::int64_t headSize, float scale, float* scores, float* out) {
    HWY_DYNAMIC_DISPATCH(AttendOne)(query, k, v, stride, keys, headSize, scale, scores, out);
}

template <class T>
void crossEntropy(T* logits, std::int64_t rows, std::int64_t columns, const std::int64_t* labels,
                  const float* gradScale, double* losses) {
    parallelFor(
        0, rows, std::max<std::int64_t>(1, 8192 / columns), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                if constexpr (std::is_same_v<T, float>)
                    losses[row] = HWY_DYNAMIC_DISPATCH(CrossEntropyF32)(logits + row * columns, columns,
                                                                        labels[row], gradScale);
                else
                    losses[row] = HWY_DYNAMIC_DISPATCH(CrossEntropyBf16)(logits + row * columns, columns,
                                                                         labels[row], gradScale);
            }
        });
}
template void crossEntropy(float*, std::int64_t, std::int64_t, const std::int64_t*, const float*, double*);
template void crossEntropy(Bf16*, std::int64_t, std::int64_t, const std::int64_t*, const float*, double*);

} // namespace anneal::kernels
#endif
