#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rows.cpp"
#include <hwy/foreach_target.h>

#include "core/kernels/elementwise.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace anneal::kernels {
namespace HWY_NAMESPACE {

template <class From, class To>
HWY_INLINE void copyRow(const From* from, std::int64_t n, To* to) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        store(d, load(d, from + i), to + i);
    for (; i < n; ++i)
        store(One(), load(One(), from + i), to + i);
}

template <class From>
HWY_INLINE void addRow(const From* from, std::int64_t n, float* to) {
    const Wide d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        store(d, hn::Add(load(d, from + i), load(d, to + i)), to + i);
    for (; i < n; ++i)
        store(One(), hn::Add(load(One(), from + i), load(One(), to + i)), to + i);
}

void CopyF32F32(const float* from, std::int64_t n, float* to) { copyRow(from, n, to); }
void CopyF32Bf16(const float* from, std::int64_t n, Bf16* to) { copyRow(from, n, to); }
void CopyBf16F32(const Bf16* from, std::int64_t n, float* to) { copyRow(from, n, to); }
void CopyBf16Bf16(const Bf16* from, std::int64_t n, Bf16* to) { copyRow(from, n, to); }
void AddF32(const float* from, std::int64_t n, float* to) { addRow(from, n, to); }
void AddBf16(const Bf16* from, std::int64_t n, float* to) { addRow(from, n, to); }

} // namespace HWY_NAMESPACE
} // namespace anneal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anneal::kernels {

HWY_EXPORT(CopyF32F32);
HWY_EXPORT(CopyF32Bf16);
HWY_EXPORT(CopyBf16F32);
HWY_EXPORT(CopyBf16Bf16);
HWY_EXPORT(AddF32);
HWY_EXPORT(AddBf16);

namespace {

void copyOne(const float* from, std::int64_t n, float* to) { HWY_DYNAMIC_DISPATCH(CopyF32F32)(from, n, to); }
void copyOne(const float* from, std::int64_t n, Bf16* to) { HWY_DYNAMIC_DISPATCH(CopyF32Bf16)(from, n, to); }
void copyOne(const Bf16* from, std::int64_t n, float* to) { HWY_DYNAMIC_DISPATCH(CopyBf16F32)(from, n, to); }
void copyOne(const Bf16* from, std::int64_t n, Bf16* to) { HWY_DYNAMIC_DISPATCH(CopyBf16Bf16)(from, n, to); }
void addOne(const float* from, std::int64_t n, float* to) { HWY_DYNAMIC_DISPATCH(AddF32)(from, n, to); }
void addOne(const Bf16* from, std::int64_t n, float* to) { HWY_DYNAMIC_DISPATCH(AddBf16)(from, n, to); }

std::int64_t rowGrain(std::int64_t columns) {
    return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, columns));
}

} // namespace

template <class From, class To>
void copyRows(const From* from, std::int64_t fromStride, std::int64_t rows, std::int64_t columns, To* to,
              std::int64_t toStride) {
    parallelFor(0, rows, rowGrain(columns), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            copyOne(from + row * fromStride, columns, to + row * toStride);
    });
}

template <class From>
void addRows(const From* from, std::int64_t fromStride, std::int64_t rows, std::int64_t columns, float* to,
             std::int64_t toStride) {
    parallelFor(0, rows, rowGrain(columns), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            addOne(from + row * fromStride, columns, to + row * toStride);
    });
}

template void copyRows(const float*, std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t);
template void copyRows(const float*, std::int64_t, std::int64_t, std::int64_t, Bf16*, std::int64_t);
template void copyRows(const Bf16*, std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t);
template void copyRows(const Bf16*, std::int64_t, std::int64_t, std::int64_t, Bf16*, std::int64_t);
template void addRows(const float*, std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t);
template void addRows(const Bf16*, std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t);

} // namespace anneal::kernels
#endif
