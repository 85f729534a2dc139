#include "core/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace anneal {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hexHash(std::string_view bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string hex;
    for (std::uint64_t value = hash64(bytes), i = 0; i < 16; ++i, value <<= 4)
        hex += digits[value >> 60];
    return hex;
}

Result<std::string> hexHashFile(const fs::path& path) {
    ANNEAL_TRY(const auto file, MappedFile::open(path));
    return hexHash(file.text());
}

Fingerprint& Fingerprint::add(std::string_view part) {
    joined_ += std::to_string(part.size());
    joined_ += ':';
    joined_ += part;
    return *this;
}

} // namespace anneal
