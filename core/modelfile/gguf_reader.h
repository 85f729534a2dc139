#pragma once
#include "core/modelfile/gguf.h"

namespace anneal {

/// What the header of a GGUF file says, every length checked against the size of the file.
struct GgufHeader {
    std::uint32_t version = 0;
    std::size_t size = 0; ///< bytes before the weights
    std::vector<GgufValue> metadata;
    std::vector<TensorView> tensors;
};

Result<GgufHeader> readGgufHeader(const MappedFile& map);

} // namespace anneal
