#include "core/modelfile/gguf.h"

#include "core/modelfile/gguf_reader.h"

#include <algorithm>
#include <cstring>

namespace anneal {

namespace {

template <class T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t widthOf(GgufType type) {
    switch (type) {
    case GgufType::U16:
    case GgufType::I16: return 2;
    case GgufType::U32:
    case GgufType::I32:
    case GgufType::F32: return 4;
    case GgufType::U64:
    case GgufType::I64:
    case GgufType::F64: return 8;
    default: return 1;
    }
}

Json scalarJson(GgufType type, const std::byte* from) {
    switch (type) {
    case GgufType::U8: return load<std::uint8_t>(from);
    case GgufType::I8: return load<std::int8_t>(from);
    case GgufType::U16: return load<std::uint16_t>(from);
    case GgufType::I16: return load<std::int16_t>(from);
    case GgufType::U32: return load<std::uint32_t>(from);
    case GgufType::I32: return load<std::int32_t>(from);
    case GgufType::F32: return load<float>(from);
    case GgufType::Bool: return load<std::uint8_t>(from) != 0;
    case GgufType::U64: return load<std::uint64_t>(from);
    case GgufType::I64: return load<std::int64_t>(from);
    case GgufType::F64: return load<double>(from);
    default: return nullptr;
    }
}

Json stringArray(std::span<const std::byte> bytes, std::uint64_t count) {
    Json::array_t out;
    out.reserve(count);
    while (count-- > 0) {
        const auto length = load<std::uint64_t>(bytes.data());
        out.emplace_back(std::string(textOf(bytes.subspan(8, length))));
        bytes = bytes.subspan(8 + length);
    }
    return out;
}

Json scalarArray(GgufType element, std::span<const std::byte> bytes, std::uint64_t count) {
    Json::array_t out;
    out.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i)
        out.push_back(scalarJson(element, bytes.data() + i * widthOf(element)));
    return out;
}

} // namespace

std::optional<std::int64_t> GgufValue::integer() const {
    if (type == GgufType::F32 || type == GgufType::F64 || type == GgufType::Bool ||
        type == GgufType::String || type == GgufType::Array)
        return std::nullopt;
    if (type == GgufType::U64 && load<std::uint64_t>(bytes.data()) > std::uint64_t{INT64_MAX})
        return std::nullopt;
    return scalarJson(type, bytes.data()).get<std::int64_t>();
}

std::optional<double> GgufValue::number() const {
    if (type == GgufType::F32)
        return load<float>(bytes.data());
    if (type == GgufType::F64)
        return load<double>(bytes.data());
    const auto whole = integer();
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<bool> GgufValue::boolean() const {
    return type == GgufType::Bool ? std::optional(bytes[0] != std::byte{0}) : std::nullopt;
}

std::optional<std::string_view> GgufValue::text() const {
    return type == GgufType::String ? std::optional(textOf(bytes)) : std::nullopt;
}

Json GgufValue::json() const {
    if (type == GgufType::String)
        return std::string(textOf(bytes));
    if (type != GgufType::Array)
        return scalarJson(type, bytes.data());
    if (element == GgufType::Array)
        return nullptr;
    return element == GgufType::String ? stringArray(bytes, count) : scalarArray(element, bytes, count);
}

Result<std::shared_ptr<const GgufFile>> GgufFile::open(const fs::path& path) {
    auto file = std::make_shared<GgufFile>();
    ANNEAL_TRY(file->map_, MappedFile::open(path));
    ANNEAL_TRY(auto header, readGgufHeader(file->map_));
    file->version_ = header.version;
    file->headerSize_ = header.size;
    file->metadata_ = std::move(header.metadata);
    file->tensors_ = std::move(header.tensors);
    std::ranges::sort(file->metadata_, {}, &GgufValue::key);
    return std::shared_ptr<const GgufFile>(std::move(file));
}

const GgufValue* GgufFile::find(std::string_view key) const {
    const auto found = std::ranges::lower_bound(metadata_, key, {}, &GgufValue::key);
    return found != metadata_.end() && found->key == key ? &*found : nullptr;
}

} // namespace anneal
