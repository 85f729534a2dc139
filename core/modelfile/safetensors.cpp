#include "core/modelfile/safetensors.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <simdjson.h>

namespace anneal {

namespace {

/// The reference implementation's own limit.
constexpr std::uint64_t largestHeader = 100'000'000;

Error damaged(const fs::path& path, const std::string& what) {
    return invalidInput("Cannot read " + path.string() + ": " + what + ".",
                        "Download or copy the file again.");
}

std::optional<TensorType> typeFromName(std::string_view name) {
    for (const auto type :
         {TensorType::F32, TensorType::F16, TensorType::BF16, TensorType::U8, TensorType::I8, TensorType::I16,
          TensorType::I32, TensorType::I64, TensorType::F64, TensorType::Bool})
        if (name == tensorTypeName(type))
            return type;
    return std::nullopt;
}

/// Where the parts of the file lie, after the first checks.
struct Layout {
    std::string_view header;
    std::span<const std::byte> data;
};

Result<Layout> layoutOf(const MappedFile& map) {
    if (map.size() < 8)
        return damaged(map.path(),
                       "it has " + std::to_string(map.size()) + " bytes and is no safetensors file");
    std::uint64_t length = 0;
    std::memcpy(&length, map.bytes().data(), sizeof length);
    if (length > largestHeader || (map.size() > 8 && map.text()[8] != '{'))
        return damaged(map.path(), "it is no safetensors file");
    if (length > map.size() - 8)
        return damaged(map.path(), "it is truncated inside its header");
    return Layout{map.text().substr(8, length), map.bytes().subspan(8 + length)};
}

/// Reads the JSON of one header into views.
class HeaderReader {
public:
    HeaderReader(const fs::path& path, std::span<const std::byte> data) : path_(path), data_(data) {}

    Status read(std::string_view header) {
        simdjson::dom::parser parser;
        simdjson::dom::object root;
        const simdjson::padded_string text(header);
        if (parser.parse(text).get_object().get(root) != simdjson::SUCCESS)
            return damaged(path_, "its header is not valid JSON");
        for (const auto& [name, value] : root)
            ANNEAL_CHECK(name == "__metadata__" ? readMetadata(value) : readTensor(name, value));
        return checkOverlaps();
    }

    std::vector<TensorView> tensors;
    std::map<std::string, std::string> metadata;

private:
    Status readMetadata(simdjson::dom::element value) {
        simdjson::dom::object object;
        if (value.get_object().get(object) != simdjson::SUCCESS)
            return damaged(path_, "__metadata__ in its header is no object");
        for (const auto& [key, text] : object) {
            std::string_view string;
            if (text.get_string().get(string) != simdjson::SUCCESS)
                return damaged(path_, "__metadata__ in its header holds something other than strings");
            metadata.emplace(key, string);
        }
        return {};
    }

    Status readTensor(std::string_view name, simdjson::dom::element value) {
        TensorView view;
        view.name = name;
        std::string_view type;
        simdjson::dom::array shape, offsets;
        if (value["dtype"].get_string().get(type) != simdjson::SUCCESS ||
            value["shape"].get_array().get(shape) != simdjson::SUCCESS ||
            value["data_offsets"].get_array().get(offsets) != simdjson::SUCCESS)
            return damaged(path_, "its header lacks dtype, shape or data_offsets of tensor " + view.name);
        const auto known = typeFromName(type);
        if (!known)
            return invalidInput("Tensor " + view.name + " of " + path_.string() + " is stored as " +
                                    std::string(type) + ", which is not supported.",
                                "Use a copy of the model in BF16, F16 or F32.");
        view.type = *known;
        ANNEAL_TRY(const auto elements, readShape(shape, view));
        ANNEAL_CHECK(readOffsets(offsets, elements, view));
        tensors.push_back(std::move(view));
        return {};
    }

    Result<std::int64_t> readShape(simdjson::dom::array shape, TensorView& view) {
        std::int64_t elements = 1;
        for (const auto dim : shape) {
            std::int64_t size = 0;
            if (dim.get_int64().get(size) != simdjson::SUCCESS || size < 0 ||
                __builtin_mul_overflow(elements, size, &elements))
                return damaged(path_, "the shape of tensor " + view.name + " is impossible");
            view.shape.push_back(size);
        }
        std::int64_t bits = 0; // so that the byte count cannot overflow either
        if (__builtin_mul_overflow(elements, std::int64_t{64}, &bits))
            return damaged(path_, "the shape of tensor " + view.name + " is impossible");
        return elements;
    }

    Status readOffsets(simdjson::dom::array offsets, std::int64_t elements, TensorView& view) {
        std::uint64_t begin = 0, end = 0;
        if (offsets.size() != 2 || offsets.at(0).get_uint64().get(begin) != simdjson::SUCCESS ||
            offsets.at(1).get_uint64().get(end) != simdjson::SUCCESS || begin > end)
            return damaged(path_, "the data_offsets of tensor " + view.name + " are impossible");
        if (end > data_.size())
            return damaged(path_, "it is truncated: tensor " + view.name + " ends " +
                                      std::to_string(end - data_.size()) +
                                      " bytes behind the end of the file");
        if (end - begin != static_cast<std::uint64_t>(tensorBytes(view.type, elements)))
            return damaged(path_, "tensor " + view.name + " has " + std::to_string(end - begin) +
                                      " bytes where its shape needs " +
                                      std::to_string(tensorBytes(view.type, elements)));
        view.bytes = data_.subspan(begin, end - begin);
        return {};
    }

    Status checkOverlaps() {
        std::vector<const TensorView*> ordered;
        for (const auto& tensor : tensors)
            if (!tensor.bytes.empty())
                ordered.push_back(&tensor);
        std::ranges::sort(ordered, {}, [](const TensorView* tensor) { return tensor->bytes.data(); });
        for (std::size_t i = 1; i < ordered.size(); ++i)
            if (ordered[i - 1]->bytes.data() + ordered[i - 1]->bytes.size() > ordered[i]->bytes.data())
                return damaged(path_,
                               "tensors " + ordered[i - 1]->name + " and " + ordered[i]->name + " overlap");
        return {};
    }

    const fs::path& path_;
    std::span<const std::byte> data_;
};

} // namespace

Result<std::shared_ptr<SafetensorsFile>> SafetensorsFile::open(const fs::path& path) {
    auto file = std::make_shared<SafetensorsFile>();
    ANNEAL_TRY(file->map_, MappedFile::open(path));
    ANNEAL_TRY(const auto layout, layoutOf(file->map_));
    HeaderReader reader(file->map_.path(), layout.data);
    ANNEAL_CHECK(reader.read(layout.header));
    file->tensors_ = std::move(reader.tensors);
    file->metadata_ = std::move(reader.metadata);
    std::ranges::sort(file->tensors_, {}, &TensorView::name);
    const auto twin = std::ranges::adjacent_find(file->tensors_, {}, &TensorView::name);
    if (twin != file->tensors_.end())
        return damaged(path, "its header lists tensor " + twin->name + " twice");
    return file;
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(
        tensors_, name, {}, [](const TensorView& tensor) -> std::string_view { return tensor.name; });
    return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

} // namespace anneal
