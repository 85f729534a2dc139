#include "core/data/jinja_text.h"

#include "core/data/tokenizer_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

namespace anneal::jinja {

namespace {

bool isContinuation(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80; }

std::size_t previousCharacter(std::string_view text, std::size_t at) {
    do
        --at;
    while (at > 0 && isContinuation(text[at]));
    return at;
}

std::string fromIcu(const icu::UnicodeString& text) {
    std::string out;
    text.toUTF8String(out);
    return out;
}

std::string mappedWhole(std::string_view text, Case how) {
    auto unicode = icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
    if (how == Case::Upper)
        unicode.toUpper(icu::Locale::getRoot());
    else if (how == Case::Lower)
        unicode.toLower(icu::Locale::getRoot());
    else
        unicode.foldCase();
    return fromIcu(unicode);
}

/// The title case of one character: "ß" becomes "Ss".
std::string titled(std::string_view character) {
    auto unicode =
        icu::UnicodeString::fromUTF8({character.data(), static_cast<std::int32_t>(character.size())});
    unicode.toTitle(nullptr, icu::Locale::getRoot(), U_TITLECASE_NO_LOWERCASE);
    return fromIcu(unicode);
}

bool isCased(char32_t character) { return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_CASED); }

std::string titleCase(std::string_view text) {
    std::string out;
    bool afterCased = false;
    for (std::size_t at = 0; at < text.size();) {
        const auto length = characterLength(text, at);
        const auto character = text.substr(at, length);
        out += afterCased ? mappedWhole(character, Case::Lower) : titled(character);
        afterCased = isCased(characterAt(text, at));
        at += length;
    }
    return out;
}

std::string swapCase(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += characterLength(text, at)) {
        const auto character = text.substr(at, characterLength(text, at));
        const auto code = static_cast<UChar32>(characterAt(text, at));
        out += u_isUUppercase(code)   ? mappedWhole(character, Case::Lower)
               : u_isULowercase(code) ? mappedWhole(character, Case::Upper)
                                      : std::string(character);
    }
    return out;
}

std::vector<std::string> splitAtSpaces(std::string_view text, std::int64_t most) {
    std::vector<std::string> parts;
    auto rest = stripped(text, Side::Left);
    while (!rest.empty()) {
        if (most >= 0 && static_cast<std::int64_t>(parts.size()) >= most) {
            parts.emplace_back(rest);
            break;
        }
        std::size_t end = 0;
        while (end < rest.size() && !isPythonSpace(characterAt(rest, end)))
            end += characterLength(rest, end);
        parts.emplace_back(rest.substr(0, end));
        rest = stripped(rest.substr(end), Side::Left);
    }
    return parts;
}

std::vector<std::string> splitAtSpacesFromRight(std::string_view text, std::int64_t most) {
    std::vector<std::string> parts;
    auto rest = stripped(text, Side::Right);
    while (!rest.empty()) {
        if (most >= 0 && static_cast<std::int64_t>(parts.size()) >= most) {
            parts.emplace_back(rest);
            break;
        }
        auto begin = rest.size();
        while (begin > 0 && !isPythonSpace(characterAt(rest, previousCharacter(rest, begin))))
            begin = previousCharacter(rest, begin);
        parts.emplace_back(rest.substr(begin));
        rest = stripped(rest.substr(0, begin), Side::Right);
    }
    std::ranges::reverse(parts);
    return parts;
}

bool isLineEnd(char32_t c) {
    return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool isPrintable(char32_t character) {
    if (character == ' ')
        return true;
    const auto mask = U_GET_GC_MASK(static_cast<UChar32>(character));
    return (mask & (U_GC_C_MASK | U_GC_Z_MASK)) == 0;
}

std::string escapedCharacter(char32_t c) {
    constexpr char digits[] = "0123456789abcdef";
    const int count = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
    std::string out = c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U";
    for (int i = count - 1; i >= 0; --i)
        out += digits[c >> (4 * i) & 15];
    return out;
}

bool isKind(char32_t character, TextKind kind) {
    const auto c = static_cast<UChar32>(character);
    const auto numeric = u_getIntPropertyValue(c, UCHAR_NUMERIC_TYPE);
    switch (kind) {
    case TextKind::Digit: return numeric == U_NT_DECIMAL || numeric == U_NT_DIGIT;
    case TextKind::Decimal: return numeric == U_NT_DECIMAL;
    case TextKind::Numeric: return numeric != U_NT_NONE;
    case TextKind::Alpha: return u_isalpha(c);
    case TextKind::Alnum: return u_isalpha(c) || numeric != U_NT_NONE;
    case TextKind::Space: return isPythonSpace(character);
    default: return false;
    }
}

/// isupper() and islower() ask only the cased characters, of which there has to be one.
bool isAllCase(std::string_view text, bool upper) {
    bool any = false;
    for (std::size_t at = 0; at < text.size(); at += characterLength(text, at)) {
        const auto c = static_cast<UChar32>(characterAt(text, at));
        if (upper ? u_isULowercase(c) || u_istitle(c) : u_isUUppercase(c) || u_istitle(c))
            return false;
        any = any || (upper ? u_isUUppercase(c) : u_isULowercase(c));
    }
    return any;
}

} // namespace

std::size_t characterCount(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char byte) { return !isContinuation(byte); }));
}

std::vector<std::string> charactersOf(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size(); at += characterLength(text, at))
        out.emplace_back(text.substr(at, characterLength(text, at)));
    return out;
}

std::size_t byteOffset(std::string_view text, std::size_t index) {
    std::size_t at = 0;
    while (index-- > 0 && at < text.size())
        at += characterLength(text, at);
    return at;
}

std::size_t characterIndex(std::string_view text, std::size_t offset) {
    return characterCount(text.substr(0, offset));
}

bool isPythonSpace(char32_t character) {
    return isSpace(character) || (character >= 0x1C && character <= 0x1F);
}

std::string_view stripped(std::string_view text, Side side, const std::string* characters) {
    const auto goes = [&](std::size_t at) {
        if (!characters)
            return isPythonSpace(characterAt(text, at));
        const auto character = text.substr(at, characterLength(text, at));
        for (std::size_t i = 0; i < characters->size(); i += characterLength(*characters, i))
            if (std::string_view(*characters).substr(i, characterLength(*characters, i)) == character)
                return true;
        return false;
    };
    std::size_t begin = 0, end = text.size();
    while (side != Side::Right && begin < end && goes(begin))
        begin += characterLength(text, begin);
    while (side != Side::Left && end > begin && goes(previousCharacter(text, end)))
        end = previousCharacter(text, end);
    return text.substr(begin, end - begin);
}

std::vector<std::string> splitText(std::string_view text, const std::string* separator, std::int64_t most,
                                   bool fromRight) {
    if (!separator)
        return fromRight ? splitAtSpacesFromRight(text, most) : splitAtSpaces(text, most);
    std::vector<std::string> parts;
    const auto full = [&] { return most >= 0 && static_cast<std::int64_t>(parts.size()) >= most; };
    while (!full()) {
        const auto at = fromRight ? text.rfind(*separator) : text.find(*separator);
        if (at == std::string_view::npos)
            break;
        const auto behind = text.substr(at + separator->size());
        parts.emplace_back(fromRight ? behind : text.substr(0, at));
        text = fromRight ? text.substr(0, at) : behind;
    }
    parts.emplace_back(text);
    if (fromRight)
        std::ranges::reverse(parts);
    return parts;
}

std::vector<std::string> splitLines(std::string_view text, bool keepEnds) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto length = characterLength(text, at);
        if (!isLineEnd(characterAt(text, at))) {
            at += length;
            continue;
        }
        const auto end = at + (text.substr(at).starts_with("\r\n") ? 2 : length);
        lines.emplace_back(text.substr(begin, (keepEnds ? end : at) - begin));
        begin = at = end;
    }
    if (begin < text.size())
        lines.emplace_back(text.substr(begin));
    return lines;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to, std::int64_t most) {
    std::string out;
    std::size_t at = 0;
    for (std::int64_t count = 0; most < 0 || count < most; ++count) {
        auto found = from.empty() ? at : text.find(from, at);
        if (found == std::string_view::npos)
            break;
        if (from.empty()) { // between all characters
            out += to;
            if (at == text.size())
                return out;
            const auto length = characterLength(text, at);
            out += text.substr(at, length);
            at += length;
            continue;
        }
        out.append(text.substr(at, found - at)).append(to);
        at = found + from.size();
    }
    return out.append(text.substr(at));
}

std::string cased(std::string_view text, Case how) {
    switch (how) {
    case Case::Title: return titleCase(text);
    case Case::Swap: return swapCase(text);
    case Case::Capitalize: {
        const auto first = text.empty() ? 0 : characterLength(text, 0);
        // Lowered as a whole, because a final sigma depends on its neighbours.
        const auto lowered = mappedWhole(text, Case::Lower);
        const auto firstLowered = mappedWhole(text.substr(0, first), Case::Lower);
        return titled(text.substr(0, first)) + lowered.substr(std::min(lowered.size(), firstLowered.size()));
    }
    default: return mappedWhole(text, how);
    }
}

bool isAll(std::string_view text, TextKind kind) {
    if (kind == TextKind::Upper || kind == TextKind::Lower)
        return isAllCase(text, kind == TextKind::Upper);
    for (std::size_t at = 0; at < text.size(); at += characterLength(text, at))
        if (!isKind(characterAt(text, at), kind))
            return false;
    return !text.empty();
}

std::string quoted(std::string_view text) {
    const bool doubled =
        text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
    const char quote = doubled ? '"' : '\'';
    std::string out(1, quote);
    for (std::size_t at = 0; at < text.size(); at += characterLength(text, at)) {
        const auto character = characterAt(text, at);
        if (character == '\n')
            out += "\\n";
        else if (character == '\r')
            out += "\\r";
        else if (character == '\t')
            out += "\\t";
        else if (character == '\\' || character == static_cast<char32_t>(quote))
            out.append({'\\', static_cast<char>(character)});
        else if (!isPrintable(character))
            out += escapedCharacter(character);
        else
            out += text.substr(at, characterLength(text, at));
    }
    return out += quote;
}

std::string floatText(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    char buffer[64];
    const auto magnitude = std::abs(value);
    const bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string text(buffer, end.ptr);
    if (plain && text.find('.') == std::string::npos)
        text += ".0";
    return text;
}

} // namespace anneal::jinja
