#include "core/modelfile/tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace anneal {

namespace {

struct TypeInfo {
    const char* name;
    std::int64_t blockElements, blockBytes;
};

constexpr TypeInfo typeInfos[] = {
    {"F32", 1, 4},    {"F16", 1, 2},    {"BF16", 1, 2},   {"U8", 1, 1},  {"I8", 1, 1},
    {"I16", 1, 2},    {"I32", 1, 4},    {"I64", 1, 8},    {"F64", 1, 8}, {"BOOL", 1, 1},
    {"Q8_0", 32, 34}, {"Q4_0", 32, 18}, {"Q4_1", 32, 20},
};

const TypeInfo& info(TensorType type) { return typeInfos[static_cast<std::size_t>(type)]; }

template <class T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// IEEE half to single, branches only for zero, subnormal, infinity and NaN.
float halfToFloat(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
    const std::uint32_t magnitude = half & 0x7FFFu;
    if (magnitude >= 0x7C00u)
        return std::bit_cast<float>(sign | 0x7F800000u | ((magnitude & 0x3FFu) << 13));
    if (magnitude >= 0x0400u)
        return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
    return std::bit_cast<float>(sign |
                                std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1.0p-24f));
}

float bf16ToFloat(std::uint16_t value) { return std::bit_cast<float>(std::uint32_t{value} << 16); }

template <class T>
void convertPlain(const std::byte* from, std::int64_t count, float* out) {
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = static_cast<float>(load<T>(from + i * static_cast<std::int64_t>(sizeof(T))));
}

template <float (*convert)(std::uint16_t)>
void convertShort(const std::byte* from, std::int64_t count, float* out) {
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = convert(load<std::uint16_t>(from + 2 * i));
}

void convertQ8(const std::byte* from, std::int64_t count, float* out) {
    for (std::int64_t block = 0; block < count / 32; ++block, from += 34, out += 32) {
        const float d = halfToFloat(load<std::uint16_t>(from));
        for (int i = 0; i < 32; ++i)
            out[i] = d * static_cast<float>(static_cast<std::int8_t>(from[2 + i]));
    }
}

void convertQ4Zero(const std::byte* from, std::int64_t count, float* out) {
    for (std::int64_t block = 0; block < count / 32; ++block, from += 18, out += 32) {
        const float d = halfToFloat(load<std::uint16_t>(from));
        for (int i = 0; i < 16; ++i) {
            const int packed = static_cast<int>(from[2 + i]);
            out[i] = d * static_cast<float>((packed & 15) - 8);
            out[i + 16] = d * static_cast<float>((packed >> 4) - 8);
        }
    }
}

void convertQ4One(const std::byte* from, std::int64_t count, float* out) {
    for (std::int64_t block = 0; block < count / 32; ++block, from += 20, out += 32) {
        const float d = halfToFloat(load<std::uint16_t>(from));
        const float m = halfToFloat(load<std::uint16_t>(from + 2));
        for (int i = 0; i < 16; ++i) {
            const int packed = static_cast<int>(from[4 + i]);
            out[i] = d * static_cast<float>(packed & 15) + m;
            out[i + 16] = d * static_cast<float>(packed >> 4) + m;
        }
    }
}

void convertElements(TensorType type, const std::byte* from, std::int64_t count, float* out) {
    switch (type) {
    case TensorType::F32: std::memcpy(out, from, static_cast<std::size_t>(count) * 4); return;
    case TensorType::F16: return convertShort<halfToFloat>(from, count, out);
    case TensorType::BF16: return convertShort<bf16ToFloat>(from, count, out);
    case TensorType::U8:
    case TensorType::Bool: return convertPlain<std::uint8_t>(from, count, out);
    case TensorType::I8: return convertPlain<std::int8_t>(from, count, out);
    case TensorType::I16: return convertPlain<std::int16_t>(from, count, out);
    case TensorType::I32: return convertPlain<std::int32_t>(from, count, out);
    case TensorType::I64: return convertPlain<std::int64_t>(from, count, out);
    case TensorType::F64: return convertPlain<double>(from, count, out);
    case TensorType::Q8_0: return convertQ8(from, count, out);
    case TensorType::Q4_0: return convertQ4Zero(from, count, out);
    case TensorType::Q4_1: return convertQ4One(from, count, out);
    }
}

/// The row of the file that holds row `row` of the unpermuted matrix: GGUF interleaves the two halves of each
/// head.
std::int64_t permutedRow(std::int64_t row, std::int64_t headDim) {
    const std::int64_t head = row / headDim, within = row % headDim, half = headDim / 2;
    return head * headDim + 2 * (within % half) + within / half;
}

Status checkRange(const TensorView& tensor, std::int64_t first, std::int64_t count, std::size_t outSize) {
    const auto rows = tensor.rows();
    const auto rowBytes = tensorBytes(tensor.type, tensor.rowLength());
    if (first < 0 || count < 0 || first > rows || count > rows - first)
        return failure("Rows " + std::to_string(first) + " to " + std::to_string(first + count) +
                       " are outside tensor " + tensor.name + ", which has " + std::to_string(rows) + ".");
    if (outSize < static_cast<std::size_t>(count * tensor.rowLength()))
        return failure("The buffer for rows of tensor " + tensor.name + " is too small.");
    if (tensor.bytes.size() < static_cast<std::size_t>(rows * rowBytes))
        return failure("Tensor " + tensor.name + " has fewer bytes than its shape needs.");
    const auto permutedLength = tensor.shape.size() == 1 ? tensor.rowLength() : rows;
    if (tensor.permutedHeads > 0 && permutedLength % (2 * tensor.permutedHeads) != 0)
        return failure("The rows of tensor " + tensor.name + " do not divide into " +
                       std::to_string(tensor.permutedHeads) + " heads.");
    return {};
}

/// A bias of one row is permuted by element.
void readPermutedVector(const TensorView& tensor, float* out) {
    std::vector<float> stored(static_cast<std::size_t>(tensor.rowLength()));
    convertElements(tensor.type, tensor.bytes.data(), tensor.rowLength(), stored.data());
    const auto headDim = tensor.rowLength() / tensor.permutedHeads;
    for (std::int64_t i = 0; i < tensor.rowLength(); ++i)
        out[i] = stored[static_cast<std::size_t>(permutedRow(i, headDim))];
}

} // namespace

const char* tensorTypeName(TensorType type) { return info(type).name; }

std::int64_t tensorBytes(TensorType type, std::int64_t elements) {
    return elements / info(type).blockElements * info(type).blockBytes;
}

std::int64_t TensorView::elements() const {
    std::int64_t product = 1;
    for (const auto dim : shape)
        product *= dim;
    return product;
}

Status readRows(const TensorView& tensor, std::int64_t first, std::int64_t count, std::span<float> out) {
    ANNEAL_CHECK(checkRange(tensor, first, count, out.size()));
    const auto length = tensor.rowLength();
    const auto rowBytes = tensorBytes(tensor.type, length);
    if (tensor.permutedHeads == 0) {
        convertElements(tensor.type, tensor.bytes.data() + first * rowBytes, count * length, out.data());
        return {};
    }
    if (tensor.shape.size() == 1) {
        if (count > 0)
            readPermutedVector(tensor, out.data());
        return {};
    }
    const auto headDim = tensor.rows() / tensor.permutedHeads;
    for (std::int64_t i = 0; i < count; ++i)
        convertElements(tensor.type, tensor.bytes.data() + permutedRow(first + i, headDim) * rowBytes, length,
                        out.data() + i * length);
    return {};
}

} // namespace anneal
