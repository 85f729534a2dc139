#pragma once
#include "core/base/files.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace anneal {

/// JSON whose objects keep the order in which fields were written.
using Json = nlohmann::ordered_json;

/// `source` (a file, perhaps with its line) is named when the text is not JSON.
Result<Json> parseJson(std::string_view text, std::string_view source);
Result<Json> readJsonFile(const fs::path& path, std::uint64_t maxBytes = 256u << 20);

/// One line; bytes that are not UTF-8 are written as U+FFFD, non-finite numbers must have gone through
/// jsonNumber().
std::string dumpJson(const Json& value);
/// Indented by two spaces, with a final newline.
std::string dumpJsonPretty(const Json& value);

/// A finite number as itself; others as the strings "NaN", "Infinity", "-Infinity" that JSON has no number
/// for.
Json jsonNumber(double value);
/// The inverse; nullopt when `value` is neither a number nor one of the three strings.
std::optional<double> numberFromJson(const Json& value);

} // namespace anneal
