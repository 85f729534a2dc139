#pragma once
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace anneal {

/// How the elements of a stored tensor are encoded.
enum class TensorType { F32, F16, BF16, U8, I8, I16, I32, I64, F64, Bool, Q8_0, Q4_0, Q4_1 };

/// A tensor inside a memory-mapped file; `bytes` lives as long as the file does. Row-major, PyTorch's order
/// of dims.
struct TensorView {
    std::string name; ///< Hugging Face name, e.g. "model.layers.0.self_attn.q_proj.weight"
    TensorType type = TensorType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
    /// GGUF stores rows of llama's q/k permuted per head: the head count to undo it with, 0 for none.
    std::int64_t permutedHeads = 0;

    std::int64_t elements() const;
    std::int64_t rowLength() const { return shape.empty() ? 1 : shape.back(); }
    std::int64_t rows() const { return rowLength() == 0 ? 0 : elements() / rowLength(); }
};

const char* tensorTypeName(TensorType type);
/// Bytes that `elements` elements of the type take (elements a multiple of the type's block).
std::int64_t tensorBytes(TensorType type, std::int64_t elements);

/// Dequantizes or converts rows [first, first + count) into fp32, the q/k permutation undone.
/// `out` holds count * rowLength() floats. Numbers match gguf-py bitwise.
Status readRows(const TensorView& tensor, std::int64_t first, std::int64_t count, std::span<float> out);

} // namespace anneal
