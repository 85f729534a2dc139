#pragma once
#include "core/base/result.h"
#include "core/data/tokenizer_text.h"

#include <memory>
#include <string_view>

namespace anneal {

/// A pattern of a tokenizer (Oniguruma's dialect), compiled by PCRE2. Thread-safe.
class SplitRegex {
public:
    static Result<std::shared_ptr<const SplitRegex>> compile(std::string_view pattern);
    ~SplitRegex();
    SplitRegex(const SplitRegex&) = delete;
    SplitRegex& operator=(const SplitRegex&) = delete;

    /// First match at or behind `from` in valid UTF-8; false when there is none.
    bool find(std::string_view text, std::size_t from, TextRange& match) const;

private:
    explicit SplitRegex(void* code, bool jit) : code_(code), jit_(jit) {}
    void* code_;
    bool jit_;
};

/// The pattern in PCRE2's dialect: white space as Oniguruma defines it (PCRE2 counts U+180E in).
std::string pcrePattern(std::string_view pattern);

} // namespace anneal
