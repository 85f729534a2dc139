#include "core/data/bpe_cache.h"

namespace anneal {

void WordTokens::clear() {
    ids.clear();
    begins.clear();
    ends.clear();
    lost = 0;
}

void WordTokens::append(const WordTokens& other) {
    ids.insert(ids.end(), other.ids.begin(), other.ids.end());
    begins.insert(begins.end(), other.begins.begin(), other.begins.end());
    ends.insert(ends.end(), other.ends.begin(), other.ends.end());
    lost += other.lost;
}

WordCache::WordCache() : table_(new std::atomic<const Entry*>[slots]()) {}

WordCache::~WordCache() {
    for (std::size_t i = 0; i < slots; ++i)
        delete table_[i].load(std::memory_order_relaxed);
}

const WordTokens* WordCache::find(std::string_view word, std::uint64_t hash) const {
    for (std::size_t i = 0; i < probes; ++i) {
        const auto* entry = table_[(hash + i) % slots].load(std::memory_order_acquire);
        if (!entry)
            return nullptr;
        if (entry->word == word)
            return &entry->tokens;
    }
    return nullptr;
}

void WordCache::insert(std::string_view word, std::uint64_t hash, const WordTokens& tokens) {
    for (std::size_t i = 0; i < probes; ++i) {
        auto& slot = table_[(hash + i) % slots];
        if (slot.load(std::memory_order_relaxed))
            continue;
        auto entry = std::make_unique<Entry>(Entry{std::string(word), tokens});
        const Entry* nothing = nullptr;
        if (slot.compare_exchange_strong(nothing, entry.get(), std::memory_order_release))
            entry.release();
        return; // another thread was first: the word will be met again
    }
}

} // namespace anneal
