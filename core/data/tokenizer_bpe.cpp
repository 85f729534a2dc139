#include "core/data/tokenizer_bpe.h"

#include <algorithm>

namespace anneal {

namespace {

constexpr std::string_view wordMark = "\xE2\x96\x81";

void appendToken(Encoding& out, std::int32_t id, TextRange range) {
    out.ids.push_back(id);
    out.begins.push_back(static_cast<std::uint32_t>(range.begin));
    out.ends.push_back(static_cast<std::uint32_t>(range.end));
}

/// Cuts before every word mark that follows another character.
std::vector<TextRange> splitAtWordMarks(std::string_view text, const std::vector<TextRange>& words) {
    std::vector<TextRange> out;
    for (const auto& word : words) {
        auto begin = word.begin;
        for (auto at = text.find(wordMark, begin); at < word.end;
             at = text.find(wordMark, at + wordMark.size())) {
            const bool run = at >= begin + wordMark.size() &&
                             text.substr(at - wordMark.size(), wordMark.size()) == wordMark;
            if (at > begin && !run) {
                out.push_back({begin, at});
                begin = at;
            }
        }
        if (begin < word.end)
            out.push_back({begin, word.end});
    }
    return out;
}

/// Normalized added tokens are looked for in normalized text, so in their own normalized spelling.
AddedTokenFinder normalizedFinder(const BpePipeline& pipeline) {
    std::vector<AddedToken> tokens;
    for (auto token : pipeline.addedTokens) {
        if (!token.normalized)
            continue;
        MappedText content(token.content);
        for (const auto& step : pipeline.normalizers)
            step.apply(content);
        tokens.push_back(token);
        tokens.back().content = content.text();
    }
    return AddedTokenFinder(std::move(tokens));
}

AddedTokenFinder plainFinder(const BpePipeline& pipeline) {
    auto tokens = pipeline.addedTokens;
    std::erase_if(tokens, [](const AddedToken& token) { return token.normalized; });
    return AddedTokenFinder(std::move(tokens));
}

std::vector<bool> specialIds(const BpePipeline& pipeline) {
    std::vector<bool> special(pipeline.pieces.size(), false);
    for (const auto& token : pipeline.addedTokens)
        special[static_cast<std::size_t>(token.id)] = token.special;
    return special;
}

} // namespace

BpeTokenizer::BpeTokenizer(BpePipeline pipeline)
    : model_(Vocabulary(pipeline.pieces), pipeline.merges, pipeline.model), added_(plainFinder(pipeline)),
      addedNormalized_(normalizedFinder(pipeline)), special_(specialIds(pipeline)),
      normalizers_(std::move(pipeline.normalizers)), wordSteps_(std::move(pipeline.wordSteps)),
      splitters_(std::move(pipeline.splitters)), decoders_(std::move(pipeline.decoders)),
      before_(std::move(pipeline.before)), behind_(std::move(pipeline.behind)), bosId_(pipeline.bosId),
      eosId_(pipeline.eosId), padId_(pipeline.padId), fingerprint_(std::move(pipeline.fingerprint)) {}

Encoding BpeTokenizer::encode(std::string_view text, bool addSpecial) const {
    Encoding out;
    if (addSpecial)
        for (const auto id : before_)
            appendToken(out, id, {0, 0});
    const auto repaired = mapInvalidUtf8(text);
    const auto whole = repaired ? *repaired : MappedText(text);
    for (const auto& part : added_.split(whole.text())) {
        if (part.id >= 0)
            appendToken(out, part.id, whole.origin(part.range.begin, part.range.end));
        else
            encodeSegment(whole.slice(part.range.begin, part.range.end), out);
    }
    if (addSpecial)
        for (const auto id : behind_)
            appendToken(out, id, {text.size(), text.size()});
    return out;
}

void BpeTokenizer::encodeSegment(const MappedText& segment, Encoding& out) const {
    auto text = segment;
    for (const auto& step : normalizers_)
        step.apply(text);
    if (addedNormalized_.empty())
        return encodeNormalized(std::move(text), out);
    for (const auto& part : addedNormalized_.split(text.text())) {
        if (part.id >= 0)
            appendToken(out, part.id, text.origin(part.range.begin, part.range.end));
        else
            encodeNormalized(text.slice(part.range.begin, part.range.end), out);
    }
}

void BpeTokenizer::encodeNormalized(MappedText text, Encoding& out) const {
    for (const auto& step : wordSteps_)
        step.apply(text);
    std::vector<TextRange> words;
    splitWords(splitters_, text.text(), words);
    if (model_.splitsAtWordMarks())
        words = splitAtWordMarks(text.text(), words);
    for (const auto& word : words)
        encodeWord(text, word, out);
}

void BpeTokenizer::encodeWord(const MappedText& text, TextRange word, Encoding& out) const {
    thread_local WordTokens tokens;
    tokens.clear();
    model_.encode(text.text().substr(word.begin, word.size()), tokens);
    for (std::size_t i = 0; i < tokens.ids.size(); ++i)
        appendToken(out, tokens.ids[i],
                    text.origin(word.begin + tokens.begins[i], word.begin + tokens.ends[i]));
    out.lostBytes += tokens.lost;
}

std::string BpeTokenizer::decode(std::span<const std::int32_t> ids, bool skipSpecial) const {
    std::vector<std::string> tokens;
    for (const auto id : ids) {
        const bool known = id >= 0 && id < vocabularySize();
        if (known && !(skipSpecial && special_[static_cast<std::size_t>(id)]))
            tokens.push_back(model_.vocabulary().piece(id));
    }
    return decodeTokens(decoders_, std::move(tokens));
}

std::string BpeTokenizer::tokenText(std::int32_t id) const {
    const auto& piece = model_.vocabulary().piece(id);
    if (model_.options().byteLevel)
        return bytesFromSpelling(piece).value_or(piece);
    if (const int byte = fallbackByte(piece); byte >= 0)
        return std::string(1, static_cast<char>(byte));
    auto text = piece;
    for (auto at = text.find(wordMark); at != std::string::npos; at = text.find(wordMark, at + 1))
        text.replace(at, wordMark.size(), " ");
    return text;
}

} // namespace anneal
