#pragma once
#include "core/base/files.h"
#include "core/modelfile/tensor.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace anneal {

/// A memory-mapped .safetensors file whose header was checked: offsets inside the file, sizes that fit the
/// shapes.
class SafetensorsFile {
public:
    static Result<std::shared_ptr<SafetensorsFile>> open(const fs::path& path);

    const std::vector<TensorView>& tensors() const { return tensors_; }
    const TensorView* find(std::string_view name) const;
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    const fs::path& path() const { return map_.path(); }

private:
    MappedFile map_;
    std::vector<TensorView> tensors_;
    std::map<std::string, std::string> metadata_;
};

/// What to write: the views must stay valid until the call returns.
struct TensorToWrite {
    std::string name;
    TensorType type;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
};

/// Writes atomically; checks the free space first and says how much is missing.
Status writeSafetensors(const fs::path& path, const std::vector<TensorToWrite>& tensors,
                        const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

} // namespace anneal
