#pragma once
#include "core/base/result.h"
#include "core/data/pretokenizer_regex.h"
#include "core/data/tokenizer_text.h"

#include <memory>
#include <string_view>
#include <vector>

namespace anneal {

/// What becomes of the stretches that a pattern finds.
enum class SplitBehavior { Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous };

/// One step that cuts text into words.
class Splitter {
public:
    static Result<Splitter> pattern(std::string_view pattern, SplitBehavior behavior, bool invert);
    static Splitter literal(std::string text, SplitBehavior behavior, bool invert);
    /// Numeric characters (categories Nd, Nl, No) apart from others; `individual`: each for itself.
    static Splitter digits(bool individual);

    /// Appends the parts of text[range] to `out`, empty ones left out.
    void split(std::string_view text, TextRange range, std::vector<TextRange>& out) const;

private:
    enum class Kind { Pattern, Literal, Digits };
    /// A stretch that matched, or one between two that did.
    struct Part {
        TextRange range;
        bool matched;
    };
    void findParts(std::string_view text, TextRange range, std::vector<Part>& out) const;
    void splitDigits(std::string_view text, TextRange range, std::vector<TextRange>& out) const;

    Kind kind_ = Kind::Digits;
    std::shared_ptr<const SplitRegex> regex_;
    std::string literal_;
    SplitBehavior behavior_ = SplitBehavior::Isolated;
    bool invert_ = false;
    bool individual_ = false;
};

/// The split of GPT-2, which byte-level pre-tokenizers use.
extern const std::string_view gpt2Pattern;

/// Runs the splitters one after another, each over the parts of the one before.
void splitWords(const std::vector<Splitter>& splitters, std::string_view text, std::vector<TextRange>& words);

} // namespace anneal
