#pragma once
#include <cstdint>
#include <span>

namespace anneal::kernels {

/// Which elements dropout keeps: a pure function of the row's stream, its position and the feature, whatever
/// else is in the batch. Features come in groups of 128; feature 128 g + 16 k + j takes the k-th 16 bits of
/// the Philox draw with counter (16 g + j, position).
struct DropoutMask {
    std::span<const std::uint64_t> documentKeys; ///< one stream a document, see dropoutKey()
    const std::int32_t* documentOfRow = nullptr; ///< [rows], into documentKeys
    const std::int64_t* positions = nullptr;     ///< [rows], inside the document
    std::uint32_t threshold = 0;                 ///< drops the 16-bit draws below it

    static std::uint32_t thresholdFor(double probability);
    /// 1 / (1 - probability) of the threshold: what kept elements are multiplied by.
    float scale() const { return 65536.0f / static_cast<float>(65536 - threshold); }
};

/// The stream of (seed, step, document, module).
std::uint64_t dropoutKey(std::uint64_t seed, std::int64_t step, std::uint64_t document, std::uint32_t module);

} // namespace anneal::kernels
