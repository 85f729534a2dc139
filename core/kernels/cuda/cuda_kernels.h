#pragma once
#include <cstdint>

// The CUDA side of the kernels: device pointers, 16-bit outputs are bfloat16, launched on `stream` (a
// cudaStream_t). Every function returns the cudaError_t of its launch, 0 for success.

namespace anneal::kernels::cuda {

/// Codes and fp32 scales of `count` fp32 weights; a block of 64 may be ragged at the end.
int quantizeNf4(const float* values, std::int64_t count, std::uint8_t* codes, float* absmax, void* stream);

/// bfloat16 weights from codes and fp32 scales.
int dequantizeNf4(const std::uint8_t* codes, const float* absmax, std::int64_t count, std::uint16_t* out,
                  void* stream);

/// fp32 scales from double quantization: map[code] * nestedAbsmax[block / 256] + offset.
int dequantizeScales(const std::uint8_t* codes, const float* map, const float* nestedAbsmax, float offset,
                     std::int64_t blocks, float* absmax, void* stream);

/// y = x / sqrt(mean(x^2) + eps) * w for each row; `rstd` keeps the factor.
int rmsNorm(const float* x, const float* weight, float eps, std::int64_t rows, std::int64_t columns,
            std::uint16_t* y, std::int64_t yStride, float* rstd, void* stream);

/// Rotates pairs of each head in place; direction -1 turns a gradient back.
int rope(float* x, std::int64_t stride, std::int64_t rows, std::int64_t heads, std::int64_t headSize,
         const std::int64_t* positions, const float* cosines, const float* sines, float direction,
         void* stream);

/// out = silu(gate) * up in bfloat16.
int swiglu(const std::uint16_t* gateUp, std::int64_t rows, std::int64_t columns, std::uint16_t* out,
           std::int64_t outStride, void* stream);

} // namespace anneal::kernels::cuda
