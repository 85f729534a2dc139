#pragma once
#include "core/base/json.h"

#include <cstdint>
#include <optional>

namespace anneal {

/// 0 when the file is missing.
std::uint64_t fileSize(const fs::path& path);

/// Up to `length` bytes from `offset`; fewer at the end of the file.
std::string readRange(const fs::path& path, std::uint64_t offset, std::size_t length);

/// A line of a JSONL file; nullopt when it is no object.
std::optional<Json> parseRecord(std::string_view line);

} // namespace anneal
