#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rope.cpp"
#include <hwy/foreach_target.h>

#include "core/kernels/elementwise.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE void turn(D d, float* low, float* high, const float* cosines, const float* sines,
                     float direction) {
    const auto a = hn::LoadU(d, low), b = hn::LoadU(d, high), c = hn::LoadU(d, cosines);
    const auto s = hn::Mul(hn::LoadU(d, sines), hn::Set(d, direction));
    hn::StoreU(hn::Sub(hn::Mul(a, c), hn::Mul(b, s)), d, low);
    hn::StoreU(hn::Add(hn::Mul(b, c), hn::Mul(a, s)), d, high);
}

HWY_INLINE void ropeRow(float* x, std::int64_t heads, std::int64_t half, const float* cosines,
                        const float* sines, float direction) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t head = 0; head < heads; ++head, x += 2 * half) {
        std::int64_t i = 0;
        for (; i + lanes <= half; i += lanes)
            turn(d, x + i, x + half + i, cosines + i, sines + i, direction);
        for (; i < half; ++i)
            turn(One(), x + i, x + half + i, cosines + i, sines + i, direction);
    }
}

void RopeRows(float* x, std::int64_t stride, std::int64_t rows, std::int64_t heads, std::int64_t half,
              const std::int64_t* positions, const float* cosines, const float* sines, float direction) {
    for (std::int64_t row = 0; row < rows; ++row)
        ropeRow(x + row * stride, heads, half, cosines + positions[row] * half, sines + positions[row] * half,
                direction);
}

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(RopeRows);

void rope(float* x, std::int64_t stride, std::int64_t rows, std::int64_t heads, std::int64_t headSize,
          const std::int64_t* positions, const float* cosines, const float* sines, float direction) {
    const std::int64_t half = headSize / 2;
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, heads * headSize));
    parallelFor(0, rows, grain, [&](std::int64_t begin, std::int64_t end) {
        HWY_DYNAMIC_DISPATCH(RopeRows)
        (x + begin * stride, stride, end - begin, heads, half, positions + begin, cosines, sines, direction);
    });
}

} // namespace anneal::kernels
#endif
