#include "core/data/tokenizer_normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/edits.h>
#include <unicode/normalizer2.h>

namespace anneal {

namespace {

const icu::Normalizer2* normalizerOf(TextStep::Kind kind) {
    UErrorCode error = U_ZERO_ERROR;
    switch (kind) {
    case TextStep::Kind::Nfc: return icu::Normalizer2::getNFCInstance(error);
    case TextStep::Kind::Nfd: return icu::Normalizer2::getNFDInstance(error);
    case TextStep::Kind::Nfkc: return icu::Normalizer2::getNFKCInstance(error);
    default: return icu::Normalizer2::getNFKDInstance(error);
    }
}

/// Rebuilds `text` from ICU's record of what it changed.
MappedText applyEdits(const MappedText& text, const icu::Edits& edits, std::string_view changed) {
    MappedTextBuilder builder(text);
    auto part = edits.getFineIterator();
    UErrorCode error = U_ZERO_ERROR;
    while (part.next(error)) {
        const auto begin = static_cast<std::size_t>(part.sourceIndex());
        const auto end = begin + static_cast<std::size_t>(part.oldLength());
        if (part.hasChange())
            builder.replace(begin, end,
                            changed.substr(static_cast<std::size_t>(part.destinationIndex()),
                                           static_cast<std::size_t>(part.newLength())));
        else
            builder.keep(begin, end);
    }
    return builder.finish();
}

void normalize(const icu::Normalizer2* normalizer, MappedText& text) {
    UErrorCode error = U_ZERO_ERROR;
    const icu::StringPiece source(text.text().data(), static_cast<std::int32_t>(text.text().size()));
    if (normalizer->isNormalizedUTF8(source, error) || U_FAILURE(error))
        return;
    std::string changed;
    icu::StringByteSink<std::string> sink(&changed);
    icu::Edits edits;
    normalizer->normalizeUTF8(0, source, sink, &edits, error);
    if (U_SUCCESS(error))
        text = applyEdits(text, edits, changed);
}

void lower(MappedText& text) {
    UErrorCode error = U_ZERO_ERROR;
    std::string changed;
    icu::StringByteSink<std::string> sink(&changed);
    icu::Edits edits;
    icu::CaseMap::utf8ToLower("", 0, {text.text().data(), static_cast<std::int32_t>(text.text().size())},
                              sink, &edits, error);
    if (U_SUCCESS(error) && edits.hasChanges())
        text = applyEdits(text, edits, changed);
}

void prepend(MappedText& text, std::string_view content) {
    MappedTextBuilder builder(text);
    builder.replace(0, 0, content);
    builder.keep(0, text.text().size());
    text = builder.finish();
}

void replaceAll(MappedText& text, std::string_view pattern, std::string_view content) {
    if (pattern.empty() || text.text().find(pattern) == std::string_view::npos)
        return;
    MappedTextBuilder builder(text);
    std::size_t done = 0;
    for (auto at = text.text().find(pattern); at != std::string_view::npos;
         at = text.text().find(pattern, done)) {
        builder.keep(done, at);
        done = at + pattern.size();
        builder.replace(at, done, content);
    }
    builder.keep(done, text.text().size());
    text = builder.finish();
}

} // namespace

void TextStep::apply(MappedText& text) const {
    if (text.text().empty())
        return;
    switch (kind) {
    case Kind::Nfc:
    case Kind::Nfd:
    case Kind::Nfkc:
    case Kind::Nfkd: return normalize(normalizerOf(kind), text);
    case Kind::Lowercase: return lower(text);
    case Kind::Prepend: return prepend(text, content);
    case Kind::Replace: return replaceAll(text, pattern, content);
    case Kind::PrefixSpace:
        if (!isSpace(characterAt(text.text(), 0)))
            prepend(text, " ");
        return;
    case Kind::Metaspace: {
        const bool atStart = text.origin(0, 0).begin == 0;
        replaceAll(text, " ", content);
        if ((prefix == Prefix::Always || (prefix == Prefix::First && atStart)) &&
            !text.text().starts_with(content))
            prepend(text, content);
        return;
    }
    }
}

} // namespace anneal
