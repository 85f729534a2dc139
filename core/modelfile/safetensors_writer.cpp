#include "core/modelfile/safetensors.h"

#include "core/base/json.h"
#include "core/modelfile/atomic_writer.h"

#include <algorithm>
#include <cstring>

namespace anneal {

namespace {

Status checkTensor(const fs::path& path, const TensorToWrite& tensor) {
    std::int64_t elements = 1;
    for (const auto dim : tensor.shape)
        elements *= dim;
    if (tensorBytes(tensor.type, elements) == static_cast<std::int64_t>(tensor.bytes.size()))
        return {};
    return failure("Cannot write " + path.string() + ": tensor " + tensor.name + " has " +
                   std::to_string(tensor.bytes.size()) + " bytes, which do not fit its shape.");
}

/// Wide elements first, then by name: every tensor starts at a multiple of its element's size.
std::vector<const TensorToWrite*> fileOrder(const std::vector<TensorToWrite>& tensors) {
    std::vector<const TensorToWrite*> order;
    for (const auto& tensor : tensors)
        order.push_back(&tensor);
    std::ranges::sort(order, [](const TensorToWrite* a, const TensorToWrite* b) {
        const auto width = [](const TensorToWrite* tensor) { return tensorBytes(tensor->type, 1); };
        return width(a) != width(b) ? width(a) > width(b) : a->name < b->name;
    });
    return order;
}

/// One entry of the header; written by hand because an ordered JSON object grows quadratically with its
/// names.
std::string headerEntry(const TensorToWrite& tensor, std::uint64_t offset) {
    const Json entry{{"dtype", tensorTypeName(tensor.type)},
                     {"shape", tensor.shape},
                     {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    return dumpJson(tensor.name) + ":" + dumpJson(entry);
}

std::string headerText(const std::vector<const TensorToWrite*>& order,
                       const std::map<std::string, std::string>& metadata) {
    std::string header = "{";
    if (!metadata.empty())
        header += "\"__metadata__\":" + dumpJson(Json(metadata));
    std::uint64_t offset = 0;
    for (const auto* tensor : order) {
        header += (header.size() > 1 ? "," : "") + headerEntry(*tensor, offset);
        offset += tensor->bytes.size();
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' '); // the data starts aligned
    return header;
}

} // namespace

Status writeSafetensors(const fs::path& path, const std::vector<TensorToWrite>& tensors,
                        const std::map<std::string, std::string>& metadata) {
    std::uint64_t size = 8;
    for (const auto& tensor : tensors) {
        ANNEAL_CHECK(checkTensor(path, tensor));
        size += tensor.bytes.size();
    }
    const auto order = fileOrder(tensors);
    const auto header = headerText(order, metadata);
    ANNEAL_TRY(auto writer, AtomicWriter::create(path, size + header.size()));
    const std::uint64_t length = header.size();
    ANNEAL_CHECK(writer.write(std::as_bytes(std::span(&length, 1))));
    ANNEAL_CHECK(writer.write(header));
    for (const auto* tensor : order)
        ANNEAL_CHECK(writer.write(tensor->bytes));
    return writer.finish();
}

} // namespace anneal
