#include "core/kernels/dropout.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>

namespace anneal::kernels {

std::uint32_t DropoutMask::thresholdFor(double probability) {
    return static_cast<std::uint32_t>(std::lround(std::clamp(probability, 0.0, 65535.0 / 65536.0) * 65536.0));
}

std::uint64_t dropoutKey(std::uint64_t seed, std::int64_t step, std::uint64_t document,
                         std::uint32_t module) {
    const std::uint64_t ofStep =
        randomBits(randomKey(seed, RandomUse::Dropout), static_cast<std::uint64_t>(step));
    return randomBits(ofStep, document, module);
}

} // namespace anneal::kernels
