#pragma once
#include <bit>
#include <cstdint>

namespace anneal::kernels {

/// Storage of one bfloat16; arithmetic happens in fp32.
enum class Bf16 : std::uint16_t {};

/// Nearest bfloat16, ties to even; a NaN stays one.
constexpr Bf16 toBf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return static_cast<Bf16>((bits >> 16) | 0x40u);
    return static_cast<Bf16>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}
constexpr float toFloat(Bf16 value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16); }
constexpr float toFloat(float value) { return value; }

} // namespace anneal::kernels
