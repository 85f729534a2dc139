#include "core/kernels/cuda/cuda_kernels.h"
#include "core/kernels/index.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace anneal::kernels::cuda {

namespace {

constexpr unsigned threads = 256;

__constant__ float nf4Table[16] = {
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

__device__ std::uint16_t toBits(float value) { return __bfloat16_as_ushort(__float2bfloat16_rn(value)); }
__device__ float fromBits(std::uint16_t bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); }

/// How many midpoints of neighbouring values lie below; a tie takes the lower code.
__device__ std::uint8_t codeOf(float value) {
    std::uint8_t code = 0;
    for (int i = 0; i < 15; ++i)
        code += value > (nf4Table[i] + nf4Table[i + 1]) / 2;
    return code;
}

/// One warp a block of 64 weights: two neighbours, and so one byte, a lane.
__global__ void quantizeKernel(const float* values, std::int64_t count, std::uint8_t* codes, float* absmax) {
    const std::int64_t pair = firstOfThread(blockIdx.x, blockDim.x, threadIdx.x);
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const std::int64_t padded = (count + 63) / 64 * 32; // whole warps take part in the shuffles
    for (std::int64_t i = pair; i < padded; i += step) {
        const float even = 2 * i < count ? values[2 * i] : 0.0f,
                    odd = 2 * i + 1 < count ? values[2 * i + 1] : 0.0f;
        float largest = fmaxf(fabsf(even), fabsf(odd));
        for (int offset = 16; offset > 0; offset /= 2)
            largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, offset));
        const float inverse = largest > 0 ? 1.0f / largest : 0.0f;
        if (i % 32 == 0)
            absmax[i / 32] = largest;
        if (2 * i < count)
            codes[i] = static_cast<std::uint8_t>(codeOf(__fmul_rn(even, inverse)) << 4 |
                                                 codeOf(__fmul_rn(odd, inverse)));
    }
}

__global__ void dequantizeKernel(const std::uint8_t* codes, const float* absmax, std::int64_t count,
                                 std::uint16_t* out) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = firstOfThread(blockIdx.x, blockDim.x, threadIdx.x); 2 * i < count; i += step) {
        const auto place = nf4Position(2 * i);
        const std::uint8_t pair = codes[place.byte];
        out[2 * i] = toBits(nf4Table[pair >> 4] * absmax[place.block]);
        if (2 * i + 1 < count)
            out[2 * i + 1] = toBits(nf4Table[pair & 15] * absmax[place.block]);
    }
}

__global__ void scalesKernel(const std::uint8_t* codes, const float* map, const float* nestedAbsmax,
                             float offset, std::int64_t blocks, float* absmax) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = firstOfThread(blockIdx.x, blockDim.x, threadIdx.x); i < blocks; i += step)
        absmax[i] = __fadd_rn(__fmul_rn(map[codes[i]], nestedAbsmax[i / 256]), offset);
}

/// Sum over the threads of a block, given to all of them.
__device__ float blockSum(float value) {
    __shared__ float parts[threads / 32];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0;
    for (unsigned i = 0; i < threads / 32; ++i)
        sum += parts[i];
    __syncthreads();
    return sum;
}

/// One block a row.
__global__ void rmsNormKernel(const float* x, const float* weight, float eps, std::int64_t rows,
                              std::int64_t columns, std::uint16_t* y, std::int64_t yStride, float* rstd) {
    for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* from = x + row * columns;
        float squares = 0;
        for (std::int64_t i = threadIdx.x; i < columns; i += threads)
            squares += from[i] * from[i];
        const float factor = rsqrtf(blockSum(squares) / static_cast<float>(columns) + eps);
        if (threadIdx.x == 0)
            rstd[row] = factor;
        for (std::int64_t i = threadIdx.x; i < columns; i += threads)
            y[row * yStride + i] = toBits(from[i] * factor * weight[i]);
    }
}

__global__ void ropeKernel(float* x, std::int64_t stride, std::int64_t pairs, std::int64_t heads,
                           std::int64_t headSize, const std::int64_t* positions, const float* cosines,
                           const float* sines, float direction) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = firstOfThread(blockIdx.x, blockDim.x, threadIdx.x); i < pairs; i += step) {
        const auto pair = ropePair(i, heads, headSize, stride, positions);
        const float a = x[pair.low], b = x[pair.high], c = cosines[pair.angle],
                    s = direction * sines[pair.angle];
        x[pair.low] = a * c - b * s;
        x[pair.high] = b * c + a * s;
    }
}

__global__ void swigluKernel(const std::uint16_t* gateUp, std::int64_t count, std::int64_t columns,
                             std::uint16_t* out, std::int64_t outStride) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = firstOfThread(blockIdx.x, blockDim.x, threadIdx.x); i < count; i += step) {
        const auto at = gatePair(i, columns, outStride);
        const float gate = fromBits(gateUp[at.gate]);
        out[at.out] = toBits(gate / (1.0f + __expf(-gate)) * fromBits(gateUp[at.up]));
    }
}

cudaStream_t of(void* stream) { return static_cast<cudaStream_t>(stream); }

} // namespace

int quantizeNf4(const float* values, std::int64_t count, std::uint8_t* codes, float* absmax, void* stream) {
    quantizeKernel<<<gridBlocks((count + 1) / 2, threads), threads, 0, of(stream)>>>(values, count, codes,
                                                                                     absmax);
    return cudaGetLastError();
}

int dequantizeNf4(const std::uint8_t* codes, const float* absmax, std::int64_t count, std::uint16_t* out,
                  void* stream) {
    dequantizeKernel<<<gridBlocks((count + 1) / 2, threads), threads, 0, of(stream)>>>(codes, absmax, count,
                                                                                       out);
    return cudaGetLastError();
}

int dequantizeScales(const std::uint8_t* codes, const float* map, const float* nestedAbsmax, float offset,
                     std::int64_t blocks, float* absmax, void* stream) {
    scalesKernel<<<gridBlocks(blocks, threads), threads, 0, of(stream)>>>(codes, map, nestedAbsmax, offset,
                                                                          blocks, absmax);
    return cudaGetLastError();
}

int rmsNorm(const float* x, const float* weight, float eps, std::int64_t rows, std::int64_t columns,
            std::uint16_t* y, std::int64_t yStride, float* rstd, void* stream) {
    rmsNormKernel<<<gridBlocks(rows, 1), threads, 0, of(stream)>>>(x, weight, eps, rows, columns, y, yStride,
                                                                   rstd);
    return cudaGetLastError();
}

int rope(float* x, std::int64_t stride, std::int64_t rows, std::int64_t heads, std::int64_t headSize,
         const std::int64_t* positions, const float* cosines, const float* sines, float direction,
         void* stream) {
    const std::int64_t pairs = rows * heads * (headSize / 2);
    ropeKernel<<<gridBlocks(pairs, threads), threads, 0, of(stream)>>>(x, stride, pairs, heads, headSize,
                                                                       positions, cosines, sines, direction);
    return cudaGetLastError();
}

int swiglu(const std::uint16_t* gateUp, std::int64_t rows, std::int64_t columns, std::uint16_t* out,
           std::int64_t outStride, void* stream) {
    swigluKernel<<<gridBlocks(rows * columns, threads), threads, 0, of(stream)>>>(gateUp, rows * columns,
                                                                                  columns, out, outStride);
    return cudaGetLastError();
}

} // namespace anneal::kernels::cuda
