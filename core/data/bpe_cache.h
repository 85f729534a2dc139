#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// Tokens of a word with their byte ranges inside it.
struct WordTokens {
    std::vector<std::int32_t> ids;
    std::vector<std::uint32_t> begins, ends;
    std::uint32_t lost = 0; ///< bytes without a token

    void clear();
    void append(const WordTokens& other);
};

/// Remembers the tokens of the words seen first: lock-free, of fixed size, never forgets. Most words of a
/// text repeat.
class WordCache {
public:
    WordCache();
    ~WordCache();
    WordCache(const WordCache&) = delete;
    WordCache& operator=(const WordCache&) = delete;

    static constexpr std::size_t longestWord = 48;

    /// nullptr when the word is not there.
    const WordTokens* find(std::string_view word, std::uint64_t hash) const;
    void insert(std::string_view word, std::uint64_t hash, const WordTokens& tokens);

private:
    struct Entry {
        std::string word;
        WordTokens tokens;
    };
    static constexpr std::size_t slots = std::size_t{1} << 16;
    static constexpr std::size_t probes = 4;

    std::unique_ptr<std::atomic<const Entry*>[]> table_;
};

} // namespace anneal
