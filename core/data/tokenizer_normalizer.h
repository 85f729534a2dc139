#pragma once
#include "core/base/result.h"
#include "core/data/tokenizer_text.h"

#include <string>
#include <string_view>

namespace anneal {

/// One step that rewrites text before it is cut into words.
struct TextStep {
    enum class Kind {
        Nfc,
        Nfd,
        Nfkc,
        Nfkd,
        Lowercase,
        Prepend,     ///< `content` before any text
        Replace,     ///< `pattern` by `content`
        PrefixSpace, ///< a space before a text that starts with none
        Metaspace,   ///< spaces by `content`, and one before a text that starts with none
    };
    enum class Prefix { Always, First, Never };

    Kind kind = Kind::Nfc;
    std::string pattern, content;
    Prefix prefix = Prefix::Always; ///< of Metaspace; First: only at the start of the input

    /// Text that the step does not change is left as it is, without a copy.
    void apply(MappedText& text) const;
};

} // namespace anneal
