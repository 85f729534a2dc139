#include "core/data/bpe.h"

#include "core/base/hash.h"
#include "core/data/tokenizer_text.h"

#include <algorithm>
#include <queue>

namespace anneal {

namespace {

constexpr std::string_view wordMark = "\xE2\x96\x81"; // U+2581
/// Up to here scanning all pairs again is faster than keeping a heap.
constexpr std::size_t shortWord = 32;

std::uint64_t pairOf(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
}

std::string fallbackPiece(std::uint8_t byte) {
    constexpr char digits[] = "0123456789ABCDEF";
    return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + '>';
}

/// Whether a word mark stands inside `piece` behind another character.
bool crossesWordMark(std::string_view piece) {
    auto at = piece.find(wordMark, 1);
    while (at != std::string_view::npos) {
        if (at < wordMark.size() || piece.substr(at - wordMark.size(), wordMark.size()) != wordMark)
            return true;
        at = piece.find(wordMark, at + 1);
    }
    return false;
}

} // namespace

Vocabulary::Vocabulary(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {
    index_.reserve(pieces_.size());
    for (std::size_t id = 0; id < pieces_.size(); ++id)
        if (!pieces_[id].empty())
            index_.insert_or_assign(pieces_[id], static_cast<std::int32_t>(id));
}

std::int32_t Vocabulary::find(std::string_view piece) const {
    const auto found = index_.find(piece);
    return found == index_.end() ? -1 : found->second;
}

const std::string& Vocabulary::piece(std::int32_t id) const {
    static const std::string none;
    return id >= 0 && id < size() ? pieces_[static_cast<std::size_t>(id)] : none;
}

MergeTable::MergeTable(const std::vector<BpeMerge>& merges) {
    std::size_t size = 16;
    while (size < 2 * merges.size())
        size *= 2;
    entries_.resize(size);
    mask_ = size - 1;
    for (const auto& merge : merges) {
        const auto pair = pairOf(merge.left, merge.right);
        auto slot = slotOf(pair);
        while (entries_[slot].result >= 0 && entries_[slot].pair != pair)
            slot = (slot + 1) & mask_;
        entries_[slot] = {pair, merge.rank, merge.result};
    }
}

std::size_t MergeTable::slotOf(std::uint64_t pair) const {
    pair *= 0x9E3779B97F4A7C15u;
    return (pair ^ pair >> 32) & mask_;
}

const MergeTable::Entry* MergeTable::find(std::int32_t left, std::int32_t right) const {
    const auto pair = pairOf(left, right);
    for (auto slot = slotOf(pair); entries_[slot].result >= 0; slot = (slot + 1) & mask_)
        if (entries_[slot].pair == pair)
            return &entries_[slot];
    return nullptr;
}

BpeModel::BpeModel(Vocabulary vocabulary, const std::vector<BpeMerge>& merges, const BpeOptions& options)
    : vocabulary_(std::move(vocabulary)), merges_(merges), options_(options),
      cache_(std::make_unique<WordCache>()) {
    for (int byte = 0; byte < 256; ++byte) {
        const auto value = static_cast<std::uint8_t>(byte);
        byteIds_[value] = options.byteLevel ? vocabulary_.find(byteSpelling(value))
                                            : vocabulary_.find(fallbackPiece(value));
    }
    splitsAtWordMarks_ = !options.byteLevel && vocabulary_.find(wordMark) >= 0;
    for (std::int32_t id = 0; id < vocabulary_.size(); ++id) {
        const auto& piece = vocabulary_.piece(id);
        splitsAtWordMarks_ = splitsAtWordMarks_ && !crossesWordMark(piece);
        if (!options.ignoreMerges || piece.empty())
            continue;
        if (const auto bytes = options.byteLevel ? bytesFromSpelling(piece) : piece)
            wholeWords_.insert_or_assign(*bytes, id);
    }
}

void BpeModel::encode(std::string_view word, WordTokens& out) const {
    if (word.size() > WordCache::longestWord)
        return compute(word, out);
    const auto hash = hash64(word);
    if (const auto* known = cache_->find(word, hash))
        return out.append(*known);
    WordTokens tokens;
    compute(word, tokens);
    cache_->insert(word, hash, tokens);
    out.append(tokens);
}

void BpeModel::compute(std::string_view word, WordTokens& out) const {
    if (const auto whole = wholeWord(word); whole >= 0) {
        out.ids.push_back(whole);
        out.begins.push_back(0);
        out.ends.push_back(static_cast<std::uint32_t>(word.size()));
        return;
    }
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    out.lost += options_.byteLevel ? byteSymbols(word, symbols) : characterSymbols(word, symbols);
    symbols.size() <= shortWord ? mergeShort(symbols) : mergeLong(symbols);
    for (const auto& symbol : symbols) {
        out.ids.push_back(symbol.id);
        out.begins.push_back(symbol.begin);
        out.ends.push_back(symbol.end);
    }
}

std::int32_t BpeModel::wholeWord(std::string_view word) const {
    if (!options_.ignoreMerges)
        return -1;
    const auto found = wholeWords_.find(std::string(word));
    return found == wholeWords_.end() ? -1 : found->second;
}

std::uint32_t BpeModel::byteSymbols(std::string_view word, std::vector<Symbol>& symbols) const {
    std::uint32_t lost = 0;
    for (std::uint32_t i = 0; i < word.size(); ++i) {
        const auto id = byteIds_[static_cast<std::uint8_t>(word[i])];
        if (id >= 0)
            symbols.push_back({id, i, i + 1});
        else if (options_.unknownId >= 0)
            symbols.push_back({options_.unknownId, i, i + 1});
        else
            ++lost;
    }
    return lost;
}

bool BpeModel::addFallback(std::string_view character, std::uint32_t begin,
                           std::vector<Symbol>& symbols) const {
    if (!options_.byteFallback)
        return false;
    const auto idOf = [&](char byte) { return byteIds_[static_cast<std::uint8_t>(byte)]; };
    if (!std::ranges::all_of(character, [&](char byte) { return idOf(byte) >= 0; }))
        return false;
    for (std::uint32_t i = 0; i < character.size(); ++i)
        symbols.push_back({idOf(character[i]), begin + i, begin + i + 1});
    return true;
}

std::uint32_t BpeModel::characterSymbols(std::string_view word, std::vector<Symbol>& symbols) const {
    std::uint32_t lost = 0;
    bool afterUnknown = false;
    for (std::uint32_t at = 0; at < word.size();) {
        const auto length = static_cast<std::uint32_t>(characterLength(word, at));
        const auto character = word.substr(at, length);
        const auto id = vocabulary_.find(character);
        bool unknown = false;
        if (id >= 0) {
            symbols.push_back({id, at, at + length});
        } else if (!addFallback(character, at, symbols)) {
            unknown = options_.unknownId >= 0;
            if (!unknown)
                lost += length;
            else if (afterUnknown && options_.fuseUnknown)
                symbols.back().end = at + length;
            else
                symbols.push_back({options_.unknownId, at, at + length});
        }
        afterUnknown = unknown;
        at += length;
    }
    return lost;
}

void BpeModel::mergeShort(std::vector<Symbol>& symbols) const {
    const MergeTable::Entry* pairs[shortWord];
    const auto look = [&](std::size_t i) { pairs[i] = merges_.find(symbols[i].id, symbols[i + 1].id); };
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
        look(i);
    while (symbols.size() > 1) {
        std::size_t best = symbols.size();
        for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
            if (pairs[i] && (best == symbols.size() || pairs[i]->rank < pairs[best]->rank))
                best = i;
        if (best == symbols.size())
            return;
        symbols[best].id = pairs[best]->result;
        symbols[best].end = symbols[best + 1].end;
        std::copy(pairs + best + 1, pairs + symbols.size() - 1, pairs + best);
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        if (best + 1 < symbols.size())
            look(best);
        if (best > 0)
            look(best - 1);
    }
}

void BpeModel::mergeLong(std::vector<Symbol>& symbols) const {
    struct Candidate {
        std::uint32_t rank, at;
        std::int32_t left, right, result;
        bool operator<(
            const Candidate& other) const { // the top of the queue is the lowest rank, then the leftmost
            return rank != other.rank ? rank > other.rank : at > other.at;
        }
    };
    const auto size = static_cast<std::uint32_t>(symbols.size());
    std::vector<std::uint32_t> next(size), previous(size);
    std::priority_queue<Candidate> queue;
    const auto look = [&](std::uint32_t left, std::uint32_t right) {
        if (const auto* merge = merges_.find(symbols[left].id, symbols[right].id))
            queue.push({merge->rank, left, symbols[left].id, symbols[right].id, merge->result});
    };
    for (std::uint32_t i = 0; i < size; ++i) {
        next[i] = i + 1;
        previous[i] = i - 1; // wraps for the first, which nobody asks
        if (i + 1 < size)
            look(i, i + 1);
    }
    while (!queue.empty()) {
        const auto top = queue.top();
        queue.pop();
        const auto right = next[top.at];
        if (symbols[top.at].id != top.left || right >= size || symbols[right].id != top.right)
            continue; // one of the two was merged into something else
        symbols[top.at].id = top.result;
        symbols[top.at].end = symbols[right].end;
        symbols[right].id = -1;
        next[top.at] = next[right];
        if (next[right] < size) {
            previous[next[right]] = top.at;
            look(top.at, next[right]);
        }
        if (top.at > 0)
            look(previous[top.at], top.at);
    }
    std::erase_if(symbols, [](const Symbol& symbol) { return symbol.id < 0; });
}

std::vector<BpeMerge> mergesFromScores(const Vocabulary& vocabulary, const std::vector<float>& scores,
                                       const std::vector<bool>& usable) {
    std::vector<float> order;
    for (std::size_t id = 0; id < scores.size(); ++id)
        if (usable[id])
            order.push_back(scores[id]);
    std::ranges::sort(order, std::greater{});
    order.erase(std::ranges::unique(order).begin(), order.end());
    const auto rankOf = [&](float score) { // equal scores share a rank: then the leftmost pair goes first
        return static_cast<std::uint32_t>(std::ranges::lower_bound(order, score, std::greater{}) -
                                          order.begin());
    };
    const auto part = [&](std::string_view piece) {
        const auto id = vocabulary.find(piece);
        return id >= 0 && usable[static_cast<std::size_t>(id)] ? id : -1;
    };
    std::vector<BpeMerge> merges;
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
        const std::string_view piece = vocabulary.piece(id);
        if (piece.empty() || !usable[static_cast<std::size_t>(id)] || vocabulary.find(piece) != id)
            continue;
        for (auto at = characterLength(piece, 0); at < piece.size(); at += characterLength(piece, at)) {
            const auto left = part(piece.substr(0, at)), right = part(piece.substr(at));
            if (left >= 0 && right >= 0)
                merges.push_back({left, right, rankOf(scores[static_cast<std::size_t>(id)]), id});
        }
    }
    return merges;
}

} // namespace anneal
