#include "core/data/pretokenizer.h"

#include <unicode/uchar.h>

namespace anneal {

const std::string_view gpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

bool isNumeric(char32_t character) {
    if (character < 0x80)
        return character >= '0' && character <= '9';
    return (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_N_MASK) != 0;
}

void add(std::vector<TextRange>& out, TextRange range) {
    if (!range.empty())
        out.push_back(range);
}

} // namespace

Result<Splitter> Splitter::pattern(std::string_view pattern, SplitBehavior behavior, bool invert) {
    Splitter splitter;
    splitter.kind_ = Kind::Pattern;
    ANNEAL_TRY(splitter.regex_, SplitRegex::compile(pattern));
    splitter.behavior_ = behavior;
    splitter.invert_ = invert;
    return splitter;
}

Splitter Splitter::literal(std::string text, SplitBehavior behavior, bool invert) {
    Splitter splitter;
    splitter.kind_ = Kind::Literal;
    splitter.literal_ = std::move(text);
    splitter.behavior_ = behavior;
    splitter.invert_ = invert;
    return splitter;
}

Splitter Splitter::digits(bool individual) {
    Splitter splitter;
    splitter.individual_ = individual;
    return splitter;
}

void Splitter::findParts(std::string_view text, TextRange range, std::vector<Part>& out) const {
    const auto subject = text.substr(range.begin, range.size());
    std::size_t done = 0, from = 0;
    const auto found = [&](TextRange match) {
        if (match.begin > done)
            out.push_back({{range.begin + done, range.begin + match.begin}, invert_});
        out.push_back({{range.begin + match.begin, range.begin + match.end}, !invert_});
        done = match.end;
    };
    while (from < subject.size()) {
        TextRange match;
        if (kind_ == Kind::Literal) {
            match.begin = literal_.empty() ? std::string_view::npos : subject.find(literal_, from);
            match.end = match.begin + literal_.size();
            if (match.begin == std::string_view::npos)
                break;
        } else if (!regex_->find(subject, from, match)) {
            break;
        }
        from = match.empty()
                   ? match.end + (match.end < subject.size() ? characterLength(subject, match.end) : 1)
                   : match.end;
        if (!match.empty())
            found(match);
    }
    if (done < subject.size())
        out.push_back({{range.begin + done, range.end}, invert_});
}

void Splitter::splitDigits(std::string_view text, TextRange range, std::vector<TextRange>& out) const {
    std::size_t begin = range.begin;
    bool numeric = false;
    for (auto at = range.begin; at < range.end;) {
        const auto length = characterLength(text, at);
        const bool now = isNumeric(characterAt(text, at));
        if (at > begin && (now != numeric || (now && individual_))) {
            out.push_back({begin, at});
            begin = at;
        }
        numeric = now;
        at += length;
    }
    add(out, {begin, range.end});
}

void Splitter::split(std::string_view text, TextRange range, std::vector<TextRange>& out) const {
    if (kind_ == Kind::Digits)
        return splitDigits(text, range, out);
    thread_local std::vector<Part> parts;
    parts.clear();
    findParts(text, range, parts);
    TextRange pending{range.begin, range.begin}; // what the next part may still be joined to
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto [part, matched] = parts[i];
        const bool joins =
            behavior_ == SplitBehavior::MergedWithPrevious ? matched && i > 0 && !parts[i - 1].matched
            : behavior_ == SplitBehavior::MergedWithNext   ? !matched && i > 0 && parts[i - 1].matched
            : behavior_ == SplitBehavior::Contiguous       ? i > 0 && parts[i - 1].matched == matched
                                                           : false;
        if (joins) {
            pending.end = part.end;
            continue;
        }
        add(out, pending);
        pending = part;
        if (behavior_ == SplitBehavior::Removed && matched)
            pending = {part.end, part.end};
    }
    add(out, pending);
}

void splitWords(const std::vector<Splitter>& splitters, std::string_view text,
                std::vector<TextRange>& words) {
    words.clear();
    if (!text.empty())
        words.push_back({0, text.size()});
    thread_local std::vector<TextRange> next;
    for (const auto& splitter : splitters) {
        next.clear();
        for (const auto& word : words)
            splitter.split(text, word, next);
        words.swap(next);
    }
}

} // namespace anneal
