#include "core/data/tokenizer_added_tokens.h"

#include <algorithm>
#include <unicode/uchar.h>

namespace anneal {

namespace {

std::size_t characterBefore(std::string_view text, std::size_t at) {
    do
        --at;
    while (at > 0 && (static_cast<std::uint8_t>(text[at]) & 0xC0) == 0x80);
    return at;
}

std::size_t spacesBefore(std::string_view text, std::size_t at) {
    while (at > 0 && isSpace(characterAt(text, characterBefore(text, at))))
        at = characterBefore(text, at);
    return at;
}

std::size_t spacesBehind(std::string_view text, std::size_t at) {
    while (at < text.size() && isSpace(characterAt(text, at)))
        at += characterLength(text, at);
    return at;
}

/// \w of a Unicode regular expression.
bool isWordCharacter(char32_t character) {
    const auto c = static_cast<UChar32>(character);
    return u_isUAlphabetic(c) || (U_GET_GC_MASK(c) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
           u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL);
}

bool standsAlone(std::string_view text, std::size_t begin, std::size_t end) {
    const bool before = begin > 0 && isWordCharacter(characterAt(text, characterBefore(text, begin)));
    const bool behind = end < text.size() && isWordCharacter(characterAt(text, end));
    return !before && !behind;
}

} // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
    std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
    const auto firstByte = [](const AddedToken& token) {
        return static_cast<std::uint8_t>(token.content[0]);
    };
    std::ranges::stable_sort(tokens_, [&](const AddedToken& a, const AddedToken& b) {
        return firstByte(a) != firstByte(b) ? firstByte(a) < firstByte(b)
                                            : a.content.size() > b.content.size();
    });
    for (std::size_t byte = 0, at = 0; byte <= 256; ++byte) {
        while (at < tokens_.size() && firstByte(tokens_[at]) < byte)
            ++at;
        firstOf_[byte] = static_cast<std::uint32_t>(at);
    }
}

const AddedToken* AddedTokenFinder::match(std::string_view text, std::size_t at) const {
    const auto byte = static_cast<std::uint8_t>(text[at]);
    for (auto i = firstOf_[byte]; i < firstOf_[byte + 1u]; ++i)
        if (text.substr(at).starts_with(tokens_[i].content))
            return &tokens_[i];
    return nullptr;
}

std::vector<AddedTokenPart> AddedTokenFinder::split(std::string_view text) const {
    std::vector<AddedTokenPart> parts;
    std::size_t done = 0, at = 0;
    while (!tokens_.empty() && at < text.size()) {
        const auto* token = match(text, at);
        if (!token) {
            ++at;
            continue;
        }
        auto begin = at, end = at + token->content.size();
        at = end;
        if (token->single_word && !standsAlone(text, begin, end))
            continue;
        if (token->lstrip)
            begin = std::max(done, spacesBefore(text, begin));
        if (token->rstrip)
            end = spacesBehind(text, end);
        if (begin > done)
            parts.push_back({-1, {done, begin}});
        parts.push_back({token->id, {std::max(begin, done), end}});
        done = at = end;
    }
    if (done < text.size())
        parts.push_back({-1, {done, text.size()}});
    return parts;
}

} // namespace anneal
