#pragma once
#include <array>
#include <cstdint>

namespace anneal {

/// Philox 4x32-10 (Salmon et al. 2011): a pure function from (key, counter) to 128 random bits, so that a
/// draw depends on what it is for and never on how many draws came before it.
constexpr std::array<std::uint32_t, 4> philox(std::uint64_t key, std::array<std::uint32_t, 4> counter) {
    std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ k1, static_cast<std::uint32_t>(a)};
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return counter;
}

/// What a stream of random numbers is for; part of the key, so that streams never meet.
enum class RandomUse : std::uint32_t { Order = 1, Dropout, Initialisation, Sampling, Split, Noise };

/// The key of a stream.
constexpr std::uint64_t randomKey(std::uint64_t seed, RandomUse use) {
    const auto mixed = philox(seed, {static_cast<std::uint32_t>(use), 0x616E6E65u, 0x616Cu, 0});
    return (std::uint64_t{mixed[1]} << 32) | mixed[0];
}

/// 64 random bits at position `index` of the stream.
constexpr std::uint64_t randomBits(std::uint64_t key, std::uint64_t index, std::uint64_t stream = 0) {
    const auto r =
        philox(key, {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                     static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)});
    return (std::uint64_t{r[1]} << 32) | r[0];
}

/// Uniform in [0, 1) with 53 bits.
constexpr double randomUniform(std::uint64_t key, std::uint64_t index, std::uint64_t stream = 0) {
    return static_cast<double>(randomBits(key, index, stream) >> 11) * 0x1.0p-53;
}

} // namespace anneal
