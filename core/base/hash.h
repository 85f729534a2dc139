#pragma once
#include "core/base/files.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace anneal {

/// XXH3, 64 bits: for fingerprints and torn files, not against an attacker.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);
/// 16 lower-case hexadecimal digits.
std::string hexHash(std::string_view bytes);
Result<std::string> hexHashFile(const fs::path& path);

/// Joins the parts of a fingerprint so that ("ab", "c") and ("a", "bc") differ.
class Fingerprint {
public:
    Fingerprint& add(std::string_view part);
    std::string hex() const { return hexHash(joined_); }

private:
    std::string joined_;
};

} // namespace anneal
