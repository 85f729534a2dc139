#include "core/modelfile/gguf_reader.h"

#include <algorithm>
#include <cstring>

namespace anneal {

namespace {

constexpr int deepestArray = 4;
constexpr std::uint32_t mostDims = 4;

Error damaged(const fs::path& path, const std::string& what) {
    return invalidInput("Cannot read " + path.string() + ": " + what + ".",
                        "Download or copy the file again.");
}

std::optional<std::size_t> scalarWidth(GgufType type) {
    switch (type) {
    case GgufType::U8:
    case GgufType::I8:
    case GgufType::Bool: return 1;
    case GgufType::U16:
    case GgufType::I16: return 2;
    case GgufType::U32:
    case GgufType::I32:
    case GgufType::F32: return 4;
    case GgufType::U64:
    case GgufType::I64:
    case GgufType::F64: return 8;
    default: return std::nullopt;
    }
}

/// Numbers of tensor types in the file; names of those that are known but not read.
struct StoredType {
    std::uint32_t number;
    const char* name;
    std::optional<TensorType> type;
};
constexpr StoredType storedTypes[] = {
    {0, "F32", TensorType::F32},
    {1, "F16", TensorType::F16},
    {2, "Q4_0", TensorType::Q4_0},
    {3, "Q4_1", TensorType::Q4_1},
    {6, "Q5_0", {}},
    {7, "Q5_1", {}},
    {8, "Q8_0", TensorType::Q8_0},
    {9, "Q8_1", {}},
    {10, "Q2_K", {}},
    {11, "Q3_K", {}},
    {12, "Q4_K", {}},
    {13, "Q5_K", {}},
    {14, "Q6_K", {}},
    {15, "Q8_K", {}},
    {16, "IQ2_XXS", {}},
    {17, "IQ2_XS", {}},
    {18, "IQ3_XXS", {}},
    {19, "IQ1_S", {}},
    {20, "IQ4_NL", {}},
    {21, "IQ3_S", {}},
    {22, "IQ2_S", {}},
    {23, "IQ4_XS", {}},
    {24, "I8", TensorType::I8},
    {25, "I16", TensorType::I16},
    {26, "I32", TensorType::I32},
    {27, "I64", TensorType::I64},
    {28, "F64", TensorType::F64},
    {29, "IQ1_M", {}},
    {30, "BF16", TensorType::BF16},
    {34, "TQ1_0", {}},
    {35, "TQ2_0", {}},
    {39, "MXFP4", {}},
};

/// Walks over the header; a read behind the end of the file sets failed() and gives zeros.
class Cursor {
public:
    explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
    T number() {
        T value{};
        const auto from = take(sizeof value);
        if (!from.empty())
            std::memcpy(&value, from.data(), sizeof value);
        return value;
    }
    std::span<const std::byte> take(std::uint64_t length) {
        if (length > bytes_.size() - position_) {
            failed_ = true;
            return {};
        }
        const auto part = bytes_.subspan(position_, length);
        position_ += length;
        return part;
    }
    std::span<const std::byte> string() { return take(number<std::uint64_t>()); }
    std::string_view text() {
        const auto bytes = string();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    std::span<const std::byte> since(std::size_t start) const {
        return bytes_.subspan(start, position_ - start);
    }
    std::size_t position() const { return position_; }
    std::size_t left() const { return bytes_.size() - position_; }
    bool failed() const { return failed_; }

private:
    std::span<const std::byte> bytes_;
    std::size_t position_ = 0;
    bool failed_ = false;
};

/// Passes over `count` elements; false when they are of no known type or do not fit.
bool skipElements(Cursor& cursor, GgufType element, std::uint64_t count, int depth) {
    if (const auto width = scalarWidth(element)) {
        if (count > cursor.left() / *width)
            return false;
        cursor.take(count * *width);
        return true;
    }
    if (count > cursor.left() / 8 || depth > deepestArray)
        return false;
    for (std::uint64_t i = 0; i < count && !cursor.failed(); ++i) {
        if (element == GgufType::String)
            cursor.string();
        else if (element != GgufType::Array)
            return false;
        else {
            const auto inner = static_cast<GgufType>(cursor.number<std::uint32_t>());
            if (!skipElements(cursor, inner, cursor.number<std::uint64_t>(), depth + 1))
                return false;
        }
    }
    return !cursor.failed();
}

/// False when the value is of no known type or does not fit into the file.
bool readValue(Cursor& cursor, GgufValue& value) {
    value.key = cursor.text();
    value.type = static_cast<GgufType>(cursor.number<std::uint32_t>());
    if (cursor.failed())
        return false;
    if (value.type == GgufType::String) {
        value.bytes = cursor.string();
        return !cursor.failed();
    }
    value.count = 1;
    value.element = value.type;
    if (value.type == GgufType::Array) {
        value.element = static_cast<GgufType>(cursor.number<std::uint32_t>());
        value.count = cursor.number<std::uint64_t>();
    } else if (!scalarWidth(value.type)) {
        return false;
    }
    const auto start = cursor.position();
    if (!skipElements(cursor, value.element, value.count, 0))
        return false;
    value.bytes = cursor.since(start);
    return true;
}

/// A tensor as listed, before its offset is turned into bytes.
struct ListedTensor {
    TensorView view;
    std::uint64_t offset = 0, size = 0;
};

class HeaderReader {
public:
    explicit HeaderReader(const MappedFile& map) : map_(map), cursor_(map.bytes()) {}

    Result<GgufHeader> read() {
        ANNEAL_CHECK(readStart());
        ANNEAL_CHECK(readMetadata());
        ANNEAL_CHECK(readTensorList());
        ANNEAL_CHECK(placeTensors());
        return std::move(header_);
    }

private:
    Status readStart() {
        const auto magic = cursor_.take(4);
        if (magic.empty() || std::memcmp(magic.data(), "GGUF", 4) != 0)
            return damaged(map_.path(), "it is no GGUF file");
        header_.version = cursor_.number<std::uint32_t>();
        tensorCount_ = cursor_.number<std::uint64_t>();
        valueCount_ = cursor_.number<std::uint64_t>();
        if (cursor_.failed())
            return truncated();
        if (header_.version != 0 && (header_.version & 0xFFFF) == 0)
            return damaged(map_.path(), "it is a big-endian GGUF file, which is not supported");
        if (header_.version != 2 && header_.version != 3)
            return damaged(map_.path(),
                           "its GGUF version is " + std::to_string(header_.version) + ", not 2 or 3");
        // Each entry takes at least 13 bytes (a value) or 24 (a tensor).
        if (valueCount_ > map_.size() / 13 || tensorCount_ > map_.size() / 24)
            return truncated();
        return {};
    }

    Status readMetadata() {
        // Grown, not reserved: a damaged count must not ask for memory that the file cannot fill.
        for (std::size_t i = 0; i < valueCount_; ++i)
            if (!readValue(cursor_, header_.metadata.emplace_back()))
                return damaged(map_.path(), "it is truncated or damaged at metadata value " +
                                                std::to_string(i + 1) + " of " + std::to_string(valueCount_));
        return {};
    }

    Status readTensorList() {
        for (std::size_t i = 0; i < tensorCount_; ++i)
            ANNEAL_CHECK(readTensorEntry(listed_.emplace_back()));
        return {};
    }

    Status readTensorEntry(ListedTensor& tensor) {
        tensor.view.name = cursor_.text();
        const auto dims = cursor_.number<std::uint32_t>();
        if (cursor_.failed())
            return truncated();
        if (dims > mostDims)
            return impossible(tensor);
        for (std::uint32_t i = 0; i < dims; ++i)
            tensor.view.shape.push_back(cursor_.number<std::int64_t>());
        std::ranges::reverse(tensor.view.shape);
        const auto number = cursor_.number<std::uint32_t>();
        tensor.offset = cursor_.number<std::uint64_t>();
        if (cursor_.failed())
            return truncated();
        ANNEAL_CHECK(setType(tensor, number));
        return setSize(tensor);
    }

    Status setType(ListedTensor& tensor, std::uint32_t number) {
        const auto* stored = std::ranges::find(storedTypes, number, &StoredType::number);
        if (stored == std::end(storedTypes))
            return damaged(map_.path(),
                           "tensor " + tensor.view.name + " is of unknown type " + std::to_string(number));
        if (!stored->type)
            return invalidInput("Tensor " + tensor.view.name + " of " + map_.path().string() +
                                    " is stored as " + stored->name + ", which is not supported.",
                                "Use a file in Q8_0, Q4_0, Q4_1, F16, BF16 or F32 of the same model.");
        tensor.view.type = *stored->type;
        return {};
    }

    Status setSize(ListedTensor& tensor) {
        std::int64_t elements = 1, bits = 0;
        for (const auto dim : tensor.view.shape)
            if (dim < 0 || __builtin_mul_overflow(elements, dim, &elements))
                return impossible(tensor);
        const auto block =
            tensorBytes(tensor.view.type, 1) == 0 ? 32 : 1; // only block types hold less than one
        if (__builtin_mul_overflow(elements, std::int64_t{64}, &bits) || tensor.view.rowLength() % block != 0)
            return impossible(tensor);
        tensor.size = static_cast<std::uint64_t>(tensorBytes(tensor.view.type, elements));
        return {};
    }

    Status placeTensors() {
        ANNEAL_TRY(const auto alignment, readAlignment());
        header_.size = (cursor_.position() + alignment - 1) / alignment * alignment;
        if (header_.size > map_.size()) {
            if (tensorCount_ > 0)
                return truncated();
            header_.size = map_.size(); // a file of metadata alone need not be padded
        }
        const auto data = map_.bytes().subspan(header_.size);
        for (auto& tensor : listed_) {
            if (tensor.offset % alignment != 0)
                return damaged(map_.path(),
                               "tensor " + tensor.view.name + " starts at a place that is not aligned");
            if (tensor.offset > data.size() || tensor.size > data.size() - tensor.offset)
                return damaged(map_.path(), "it is truncated: it has " + std::to_string(map_.size()) +
                                                " bytes and tensor " + tensor.view.name +
                                                " lies behind its end");
            tensor.view.bytes = data.subspan(tensor.offset, tensor.size);
        }
        return checkOverlaps();
    }

    Status checkOverlaps() {
        std::ranges::sort(listed_, {}, &ListedTensor::offset);
        for (std::size_t i = 1; i < listed_.size(); ++i)
            if (listed_[i - 1].offset + listed_[i - 1].size > listed_[i].offset)
                return damaged(map_.path(), "tensors " + listed_[i - 1].view.name + " and " +
                                                listed_[i].view.name + " overlap");
        for (auto& tensor : listed_)
            header_.tensors.push_back(std::move(tensor.view));
        return {};
    }

    Result<std::size_t> readAlignment() const {
        for (const auto& value : header_.metadata) {
            if (value.key != "general.alignment")
                continue;
            const auto alignment = value.integer().value_or(0);
            if (alignment < 1 || alignment > (1 << 20))
                return damaged(map_.path(), "general.alignment is impossible");
            return static_cast<std::size_t>(alignment);
        }
        return 32;
    }

    Error truncated() const { return damaged(map_.path(), "it is truncated inside its header"); }
    Error impossible(const ListedTensor& tensor) const {
        return damaged(map_.path(), "the shape of tensor " + tensor.view.name + " is impossible");
    }

    const MappedFile& map_;
    Cursor cursor_;
    GgufHeader header_;
    std::uint64_t tensorCount_ = 0, valueCount_ = 0;
    std::vector<ListedTensor> listed_;
};

} // namespace

Result<GgufHeader> readGgufHeader(const MappedFile& map) { return HeaderReader(map).read(); }

} // namespace anneal
