#pragma once
#include "core/data/tokenizer_text.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// A token that is recognised inside text before the text is cut into words.
struct AddedToken {
    std::int32_t id = -1;
    std::string content;
    bool special = false;     ///< left out by decode with skipSpecial
    bool lstrip = false;      ///< takes the white space before it
    bool rstrip = false;      ///< takes the white space behind it
    bool single_word = false; ///< only where no letter touches it
    bool normalized = false;  ///< looked for in the normalized text
};

/// A stretch of text: an added token (id >= 0) or text between two (-1).
struct AddedTokenPart {
    std::int32_t id;
    TextRange range;
};

/// Finds added tokens: leftmost, then longest.
class AddedTokenFinder {
public:
    AddedTokenFinder() = default;
    /// `content` of each is what is looked for.
    explicit AddedTokenFinder(std::vector<AddedToken> tokens);

    bool empty() const { return tokens_.empty(); }
    std::vector<AddedTokenPart> split(std::string_view text) const;

private:
    const AddedToken* match(std::string_view text, std::size_t at) const;

    std::vector<AddedToken> tokens_; ///< by first byte, then the longest first
    std::array<std::uint32_t, 257> firstOf_{};
};

} // namespace anneal
