#pragma once
#include "core/base/result.h"
#include "core/data/bpe_cache.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace anneal {

/// The spelling of every id and the id of every spelling.
class Vocabulary {
public:
    Vocabulary() = default;
    /// Empty pieces are holes. Of two equal pieces the last counts, as in a Python dict.
    explicit Vocabulary(std::vector<std::string> pieces);

    std::int32_t find(std::string_view piece) const;
    const std::string& piece(std::int32_t id) const;
    std::int32_t size() const { return static_cast<std::int32_t>(pieces_.size()); }

private:
    std::vector<std::string> pieces_;
    std::unordered_map<std::string_view, std::int32_t> index_;
};

/// A pair of neighbours becomes `result`; the lowest rank goes first, then the leftmost.
struct BpeMerge {
    std::int32_t left, right;
    std::uint32_t rank;
    std::int32_t result;
};

/// Pairs to merges: open addressing in one block, because every byte of a new word asks it.
class MergeTable {
public:
    explicit MergeTable(const std::vector<BpeMerge>& merges = {});

    struct Entry {
        std::uint64_t pair = ~std::uint64_t{0};
        std::uint32_t rank = 0;
        std::int32_t result = -1;
    };
    /// nullptr when the two do not merge.
    const Entry* find(std::int32_t left, std::int32_t right) const;

private:
    std::size_t slotOf(std::uint64_t pair) const;
    std::vector<Entry> entries_;
    std::size_t mask_ = 0;
};

struct BpeOptions {
    bool byteLevel = true;     ///< symbols are bytes, spelled as GPT-2 does; else characters
    bool byteFallback = false; ///< a character that the vocabulary lacks becomes its bytes "<0xE2>"
    bool ignoreMerges = false; ///< a word that is in the vocabulary is taken whole
    bool fuseUnknown = false;  ///< neighbouring unknown characters give one unknown token
    std::int32_t unknownId = -1;
};

/// Byte pair encoding of single words. Thread-safe: what it remembers sits in a lock-free cache.
class BpeModel {
public:
    BpeModel(Vocabulary vocabulary, const std::vector<BpeMerge>& merges, const BpeOptions& options);

    /// Appends the tokens of `word` to `out`.
    void encode(std::string_view word, WordTokens& out) const;
    const Vocabulary& vocabulary() const { return vocabulary_; }
    const BpeOptions& options() const { return options_; }
    /// Whether no token reaches over the start of a word marked by U+2581, so that words may be taken one by
    /// one.
    bool splitsAtWordMarks() const { return splitsAtWordMarks_; }

private:
    struct Symbol {
        std::int32_t id;
        std::uint32_t begin, end;
    };

    void compute(std::string_view word, WordTokens& out) const;
    std::uint32_t byteSymbols(std::string_view word, std::vector<Symbol>& symbols) const;
    std::uint32_t characterSymbols(std::string_view word, std::vector<Symbol>& symbols) const;
    bool addFallback(std::string_view character, std::uint32_t begin, std::vector<Symbol>& symbols) const;
    void mergeShort(std::vector<Symbol>& symbols) const;
    void mergeLong(std::vector<Symbol>& symbols) const;
    std::int32_t wholeWord(std::string_view word) const;

    Vocabulary vocabulary_;
    MergeTable merges_;
    BpeOptions options_;
    std::array<std::int32_t, 256> byteIds_{};
    std::unordered_map<std::string, std::int32_t> wholeWords_; ///< by bytes; only where merges are ignored
    bool splitsAtWordMarks_ = false;
    std::unique_ptr<WordCache> cache_;
};

/// Merges of a SentencePiece vocabulary: every way to put a piece together from two others, by falling score.
std::vector<BpeMerge> mergesFromScores(const Vocabulary& vocabulary, const std::vector<float>& scores,
                                       const std::vector<bool>& usable);

} // namespace anneal
