#pragma once
#include <cstdint>

// Index arithmetic that CPU and CUDA kernels share. All of it is 64-bit: a 70B layer has more elements than
// 2^31 when flattened with its batch, and a test runs these functions there.

#ifdef __CUDACC__
#define ANNEAL_HOST_DEVICE __host__ __device__
#else
#define ANNEAL_HOST_DEVICE
#endif

namespace anneal::kernels {

/// Where the code of one element of an NF4 matrix lies.
struct Nf4Position {
    std::int64_t byte;  ///< in the packed codes
    std::int64_t block; ///< whose scale applies
    bool high;          ///< the even element is the high nibble
};

ANNEAL_HOST_DEVICE constexpr Nf4Position nf4Position(std::int64_t element) {
    return {element / 2, element / 64, element % 2 == 0};
}

/// The two values that rotary embedding turns: offsets in a matrix of `stride`, and the angle's place in the
/// table.
struct RopePair {
    std::int64_t low, high, angle;
};

/// Pair `index` of all rows, heads and half heads, counted in that order.
ANNEAL_HOST_DEVICE constexpr RopePair ropePair(std::int64_t index, std::int64_t heads, std::int64_t headSize,
                                               std::int64_t stride, const std::int64_t* positions) {
    const std::int64_t half = headSize / 2, within = index % half, head = index / half % heads,
                       row = index / half / heads;
    const std::int64_t low = row * stride + head * headSize + within;
    return {low, low + half, positions[row] * half + within};
}

/// Offsets of one element of SwiGLU: gate and up lie side by side in a row.
struct GatePair {
    std::int64_t gate, up, out;
};

ANNEAL_HOST_DEVICE constexpr GatePair gatePair(std::int64_t index, std::int64_t columns,
                                               std::int64_t outStride) {
    const std::int64_t row = index / columns, column = index % columns;
    return {row * 2 * columns + column, row * 2 * columns + columns + column, row * outStride + column};
}

/// First element of a CUDA thread in a grid-stride loop.
ANNEAL_HOST_DEVICE constexpr std::int64_t firstOfThread(unsigned block, unsigned threads, unsigned thread) {
    return static_cast<std::int64_t>(block) * threads + thread;
}

/// Blocks of `threads` threads that cover `count` elements, at most as many as a grid holds well.
ANNEAL_HOST_DEVICE constexpr unsigned gridBlocks(std::int64_t count, unsigned threads) {
    const std::int64_t wanted = (count + threads - 1) / threads, most = 1 << 20;
    return static_cast<unsigned>(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

} // namespace anneal::kernels
