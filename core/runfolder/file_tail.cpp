#include "core/runfolder/file_tail.h"

#include <fstream>

namespace anneal {

std::uint64_t fileSize(const fs::path& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
}

std::string readRange(const fs::path& path, std::uint64_t offset, std::size_t length) {
    std::ifstream file(path, std::ios::binary);
    if (!file || !file.seekg(static_cast<std::streamoff>(offset)))
        return {};
    std::string bytes(length, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(length));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

std::optional<Json> parseRecord(std::string_view line) {
    if (line.empty())
        return std::nullopt;
    auto json = parseJson(line, "a record");
    return json && json->is_object() ? std::optional(*std::move(json)) : std::nullopt;
}

} // namespace anneal
