#pragma once
#include "core/kernels/bf16.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace anneal::kernels {

/// Weights that share one scale, in the order of the flattened matrix.
inline constexpr std::int64_t nf4Block = 64;
/// Scales that share one second-level scale under double quantization.
inline constexpr std::int64_t nestedBlock = 256;

/// The 16 values of the 4-bit NormalFloat type (Dettmers et al. 2023, "QLoRA", appendix E), ascending.
inline constexpr std::array<float, 16> nf4Values = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};

/// fp32 midpoints of neighbouring values: a code is the number of midpoints below the normalised weight.
constexpr std::array<float, 15> nf4Thresholds() {
    std::array<float, 15> middle{};
    for (std::size_t i = 0; i < middle.size(); ++i)
        middle[i] = (nf4Values[i] + nf4Values[i + 1]) / 2;
    return middle;
}

/// The signed 8-bit dynamic map (Dettmers et al. 2022, "8-bit Optimizers via Block-wise Quantization",
/// section 2.1), ascending: a sign, a decimal exponent of 0 to -6 and a linear fraction whose precision grows
/// with the exponent.
const std::array<float, 256>& dynamicMap();

/// A matrix of NF4 codes with its scales; the spans are owned elsewhere.
struct Nf4Matrix {
    std::int64_t rows = 0, columns = 0;
    std::span<const std::uint8_t> codes; ///< (rows * columns + 1) / 2; the even element is the high nibble
    std::span<const float> absmax;       ///< one per block, or empty under double quantization
    std::span<const std::uint8_t> absmaxCodes; ///< one per block, into dynamicMap()
    std::span<const float> nestedAbsmax;       ///< one per 256 blocks
    float offset = 0;                          ///< mean of the scales, taken off before they were quantized
};

/// Quantizes `values`, which start at a block's border, into codes and scales, on the calling thread. A last
/// block may be ragged. Returns false when a value is not finite (the codes are then without meaning).
bool quantizeNf4(std::span<const float> values, std::uint8_t* codes, float* absmax);

/// The second level: scales as 8-bit codes.
struct NestedScales {
    std::vector<std::uint8_t> codes;
    std::vector<float> absmax;
    float offset = 0;
};
NestedScales quantizeScales(std::span<const float> absmax);

/// Scale of block `block`.
inline float blockScale(const Nf4Matrix& matrix, const std::array<float, 256>& map, std::int64_t block) {
    const auto index = static_cast<std::size_t>(block);
    if (!matrix.absmax.empty())
        return matrix.absmax[index];
    const float inner = map[matrix.absmaxCodes[index]] * matrix.nestedAbsmax[index / nestedBlock];
    return inner + matrix.offset;
}

/// Rows [first, first + count) into `out`, whose rows are `stride` elements apart; on the calling thread.
void dequantizeNf4(const Nf4Matrix& matrix, std::int64_t first, std::int64_t count, float* out,
                   std::int64_t stride);
void dequantizeNf4(const Nf4Matrix& matrix, std::int64_t first, std::int64_t count, Bf16* out,
                   std::int64_t stride);

/// All rows, over all threads.
template <class T>
void dequantizeNf4(const Nf4Matrix& matrix, T* out, std::int64_t stride);

/// Rounds to the nearest bfloat16 in place: what a checkpoint stored in that type holds.
void roundToBf16(std::span<float> values);

} // namespace anneal::kernels
