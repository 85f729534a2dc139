#include "core/kernels/nf4.h"

#include "core/kernels/parallel.h"

#include <algorithm>
#include <cmath>

namespace anneal::kernels {

namespace {

/// Point k of `parts` equal parts of [0.1, 1] as torch.linspace rounds it in fp32: counted from the nearer
/// end, so that the map equals bitsandbytes' to the last bit.
float linspacePoint(int k, int parts) {
    const float step = (1.0f - 0.1f) / static_cast<float>(parts);
    if (k < (parts + 1) / 2)
        return std::fma(step, static_cast<float>(k), 0.1f);
    return std::fma(-step, static_cast<float>(parts - k), 1.0f);
}

/// Adds +-10^exponent times the midpoints of `parts` equal parts of [0.1, 1].
void addDecade(std::vector<float>& values, int exponent, int parts) {
    const auto scale = static_cast<float>(std::pow(10.0, exponent));
    for (int k = 0; k < parts; ++k) {
        const float middle = scale * ((linspacePoint(k, parts) + linspacePoint(k + 1, parts)) / 2);
        values.push_back(middle);
        values.push_back(-middle);
    }
}

std::array<float, 256> makeDynamicMap() {
    std::vector<float> values = {0.0f, 1.0f};
    for (int i = 0; i < 7; ++i)
        addDecade(values, i - 6, 1 << i);
    std::ranges::sort(values);
    std::array<float, 256> map{};
    std::ranges::copy(values, map.begin());
    return map;
}

/// Index of the nearest map value; a tie takes the lower one.
std::uint8_t nearestCode(float value) {
    const auto& map = dynamicMap();
    const auto above = std::ranges::lower_bound(map, value);
    if (above == map.begin())
        return 0;
    if (above == map.end())
        return 255;
    const auto index = static_cast<std::size_t>(above - map.begin());
    return static_cast<std::uint8_t>(map[index] - value < value - map[index - 1] ? index : index - 1);
}

/// Codes of the 65,536 points of an even grid over [-1, 1]. bitsandbytes rounds to this grid first on a CPU;
/// taking the nearest code at once, as it does on a GPU, differs by one step for 3 of 1,000 scales.
std::uint8_t gridCode(float value) {
    constexpr int points = 65536;
    constexpr float half = (points - 1) / 2.0f;
    static const auto codes = [] {
        std::vector<std::uint8_t> made(points);
        for (int i = 0; i < points; ++i)
            made[static_cast<std::size_t>(i)] = nearestCode(static_cast<float>(i) / half - 1.0f);
        return made;
    }();
    const auto point = std::clamp(std::lround((value + 1.0f) * half), 0l, points - 1l);
    return codes[static_cast<std::size_t>(point)];
}

} // namespace

const std::array<float, 256>& dynamicMap() {
    static const auto map = makeDynamicMap();
    return map;
}

NestedScales quantizeScales(std::span<const float> absmax) {
    NestedScales nested;
    const auto count = absmax.size();
    double sum = 0;
    for (const float value : absmax)
        sum += value;
    nested.offset = count == 0 ? 0.0f : static_cast<float>(sum / static_cast<double>(count));
    nested.codes.resize(count);
    for (std::size_t begin = 0; begin < count; begin += nestedBlock) {
        const auto block = absmax.subspan(begin, std::min<std::size_t>(nestedBlock, count - begin));
        float largest = 0;
        for (const float value : block)
            largest = std::max(largest, std::abs(value - nested.offset));
        nested.absmax.push_back(largest);
        const float inverse = largest > 0 ? 1.0f / largest : 0.0f;
        for (std::size_t i = 0; i < block.size(); ++i)
            nested.codes[begin + i] = gridCode((block[i] - nested.offset) * inverse);
    }
    return nested;
}

template <class T>
void dequantizeNf4(const Nf4Matrix& matrix, T* out, std::int64_t stride) {
    const std::int64_t grain = std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, matrix.columns));
    parallelFor(0, matrix.rows, grain, [&](std::int64_t begin, std::int64_t end) {
        dequantizeNf4(matrix, begin, end - begin, out + begin * stride, stride);
    });
}
template void dequantizeNf4(const Nf4Matrix&, float*, std::int64_t);
template void dequantizeNf4(const Nf4Matrix&, Bf16*, std::int64_t);

} // namespace anneal::kernels
