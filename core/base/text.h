#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// Parses the whole of `text` as a number without the C locale. "2e-4" and "1_000" are numbers, "" is not.
std::optional<double> parseDouble(std::string_view text);
std::optional<std::int64_t> parseInteger(std::string_view text);

/// Shortest decimal text that reads back as the same value; always with a point or exponent ("1.0e-05",
/// "3.0").
std::string formatDouble(double value);

/// "1.5 GiB"; "48,211"; "2 h 05 min"; "0.0002" style texts for people, with units.
std::string formatBytes(double bytes);
std::string formatCount(std::int64_t count);
std::string formatDuration(double seconds);

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string lowerAscii(std::string_view text);

/// The candidate with the smallest edit distance to `word`, if it is close enough to be a likely typo.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// Byte offset of the first invalid UTF-8 sequence, or nullopt when all of it is valid.
std::optional<std::size_t> findInvalidUtf8(std::string_view text);

} // namespace anneal
