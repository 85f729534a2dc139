#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anneal::jinja {

// Strings of Python over UTF-8: positions and lengths count characters.

std::size_t characterCount(std::string_view text);
std::vector<std::string> charactersOf(std::string_view text);
/// Byte offset of character `index` (at most the end).
std::size_t byteOffset(std::string_view text, std::size_t index);
/// Character index of byte `offset`.
std::size_t characterIndex(std::string_view text, std::size_t offset);

/// str.isspace() of one character: Unicode's White_Space and U+001C to U+001F.
bool isPythonSpace(char32_t character);

enum class Side { Both, Left, Right };
/// str.strip(): white space, or the characters of `characters`.
std::string_view stripped(std::string_view text, Side side, const std::string* characters = nullptr);
/// str.split(): at runs of white space, or at each `separator`; at most `most` cuts unless that is negative.
std::vector<std::string> splitText(std::string_view text, const std::string* separator, std::int64_t most,
                                   bool fromRight);
std::vector<std::string> splitLines(std::string_view text, bool keepEnds);
std::string replaced(std::string_view text, std::string_view from, std::string_view to, std::int64_t most);

enum class Case { Upper, Lower, Title, Capitalize, Swap, Fold };
std::string cased(std::string_view text, Case how);

/// str.isdigit() and its kin: true when there are characters and all of them are of the kind.
enum class TextKind { Digit, Decimal, Numeric, Alpha, Alnum, Space, Upper, Lower };
bool isAll(std::string_view text, TextKind kind);

/// repr() of a string.
std::string quoted(std::string_view text);
/// repr() of a float: the shortest digits that read back as the same.
std::string floatText(double value);

} // namespace anneal::jinja
