#pragma once
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/modelfile/tensor.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace anneal {

/// Types of metadata values, numbered as in the file.
enum class GgufType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

/// A metadata value as it lies in the file; decoded when it is asked for.
struct GgufValue {
    std::string_view key;
    GgufType type = GgufType::U8;
    GgufType element = GgufType::U8; ///< of an array
    std::uint64_t count = 0;         ///< elements of an array
    /// The bytes of a scalar, of a string without its length, or of an array's elements.
    std::span<const std::byte> bytes;

    std::optional<std::int64_t> integer() const;
    std::optional<double> number() const; ///< integers too
    std::optional<bool> boolean() const;
    std::optional<std::string_view> text() const;
    /// Arrays of arrays become null: no model uses them.
    Json json() const;
};

/// A memory-mapped GGUF file (version 2 or 3, little-endian) whose header was checked: every length inside
/// the file.
class GgufFile {
public:
    static Result<std::shared_ptr<const GgufFile>> open(const fs::path& path);

    const fs::path& path() const { return map_.path(); }
    std::uint32_t version() const { return version_; }
    const std::vector<GgufValue>& metadata() const { return metadata_; }
    const GgufValue* find(std::string_view key) const;
    /// Under the names of the file ("blk.0.attn_q.weight"), dims in PyTorch's order.
    const std::vector<TensorView>& tensors() const { return tensors_; }
    /// Everything before the weights.
    std::string_view header() const { return map_.text().substr(0, headerSize_); }

private:
    MappedFile map_;
    std::uint32_t version_ = 0;
    std::size_t headerSize_ = 0;
    std::vector<GgufValue> metadata_; ///< sorted by key
    std::vector<TensorView> tensors_;
};

} // namespace anneal
