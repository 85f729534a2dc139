#include "core/data/tokenizer_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace anneal {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Length of the longest start of a character at the beginning of `bytes`; `whole` says whether it is
/// complete.
std::size_t leadingPart(std::string_view bytes, bool& whole) {
    const auto byteAt = [&](std::size_t i) {
        return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0;
    };
    const auto lead = byteAt(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead < 0xE0                 ? 0
                               : lead < 0xF0                 ? 3
                               : lead < 0xF5                 ? 4
                                                             : 0;
    whole = length == 1;
    if (length < 2)
        return 1;
    // The second byte's range keeps out overlong forms, surrogates and what lies above U+10FFFF.
    const int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byteAt(1) < low || byteAt(1) > high)
        return 1;
    std::size_t got = 2;
    while (got < length && (byteAt(got) & 0xC0) == 0x80)
        ++got;
    whole = got == length;
    return got;
}

/// Calls valid(begin, end) and invalid(begin, end) for the stretches of `bytes` in order.
template <class Valid, class Invalid>
void scanUtf8(std::string_view bytes, Valid valid, Invalid invalid) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const auto good = findInvalidUtf8(bytes.substr(at)).value_or(bytes.size() - at);
        if (good > 0)
            valid(at, at + good);
        at += good;
        if (at == bytes.size())
            return;
        bool whole = false;
        const auto length = leadingPart(bytes.substr(at), whole);
        invalid(at, at + length);
        at += length;
    }
}

std::string encoded(char32_t character) {
    if (character < 0x80)
        return {static_cast<char>(character)};
    return {static_cast<char>(0xC0 | character >> 6), static_cast<char>(0x80 | (character & 0x3F))};
}

/// Printable bytes as themselves, the others from U+0100 on in order.
struct Spellings {
    std::array<std::string, 256> text;
    std::array<int, 512> byteOf; ///< by code point

    Spellings() {
        byteOf.fill(-1);
        char32_t next = 256;
        for (int byte = 0; byte < 256; ++byte) {
            const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
            const char32_t character = printable ? static_cast<char32_t>(byte) : next++;
            text[static_cast<std::size_t>(byte)] = encoded(character);
            byteOf[character] = byte;
        }
    }
};

const Spellings& spellings() {
    static const Spellings table;
    return table;
}

} // namespace

TextRange MappedText::origin(std::size_t begin, std::size_t end) const {
    if (!mapped_)
        return {base_ + begin, base_ + end};
    if (begin < end)
        return {begins_[begin], ends_[end - 1]};
    const std::size_t at = begin < begins_.size() ? begins_[begin] : ends_.empty() ? base_ : ends_.back();
    return {at, at};
}

MappedText MappedText::slice(std::size_t begin, std::size_t end) const {
    if (!mapped_)
        return MappedText(view_.substr(begin, end - begin), base_ + begin);
    const auto part = [&](const std::vector<std::uint32_t>& all) {
        return std::vector<std::uint32_t>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                          all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    MappedText made({}, origin(begin, begin).begin);
    made.mapped_ = true;
    made.storage_ = storage_.substr(begin, end - begin);
    made.begins_ = part(begins_);
    made.ends_ = part(ends_);
    return made;
}

void MappedTextBuilder::keep(std::size_t begin, std::size_t end) {
    made_.storage_.append(from_.text().substr(begin, end - begin));
    for (auto i = begin; i < end; ++i) {
        const auto range = from_.origin(i, i + 1);
        made_.begins_.push_back(static_cast<std::uint32_t>(range.begin));
        made_.ends_.push_back(static_cast<std::uint32_t>(range.end));
    }
}

void MappedTextBuilder::replace(std::size_t begin, std::size_t end, std::string_view text) {
    const auto range = from_.origin(begin, end);
    made_.storage_.append(text);
    made_.begins_.insert(made_.begins_.end(), text.size(), static_cast<std::uint32_t>(range.begin));
    made_.ends_.insert(made_.ends_.end(), text.size(), static_cast<std::uint32_t>(range.end));
}

MappedText MappedTextBuilder::finish() {
    made_.mapped_ = true;
    made_.base_ = from_.origin(0, 0).begin;
    return std::move(made_);
}

std::size_t characterLength(std::string_view text, std::size_t at) {
    const auto lead = static_cast<std::uint8_t>(text[at]);
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

char32_t characterAt(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return static_cast<char32_t>(static_cast<std::uint8_t>(text[at + i]));
    };
    switch (characterLength(text, at)) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
        return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    }
}

bool isSpace(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

std::string replaceInvalidUtf8(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    scanUtf8(
        bytes, [&](std::size_t begin, std::size_t end) { out += bytes.substr(begin, end - begin); },
        [&](std::size_t, std::size_t) { out += replacement; });
    return out;
}

std::optional<MappedText> mapInvalidUtf8(std::string_view bytes) {
    if (!findInvalidUtf8(bytes))
        return std::nullopt;
    const MappedText whole(bytes);
    MappedTextBuilder builder(whole);
    scanUtf8(
        bytes, [&](std::size_t begin, std::size_t end) { builder.keep(begin, end); },
        [&](std::size_t begin, std::size_t end) { builder.replace(begin, end, replacement); });
    return builder.finish();
}

std::string_view byteSpelling(std::uint8_t byte) { return spellings().text[byte]; }

std::optional<std::string> bytesFromSpelling(std::string_view spelling) {
    std::string bytes;
    for (std::size_t at = 0; at < spelling.size(); at += characterLength(spelling, at)) {
        const auto character = characterAt(spelling, at);
        const int byte = character < 512 ? spellings().byteOf[character] : -1;
        if (byte < 0)
            return std::nullopt;
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

} // namespace anneal
