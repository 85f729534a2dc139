#pragma once
#include <string>
#include <vector>

namespace anneal {

/// One step that turns spellings of tokens into text; the steps run in order over the list of tokens.
struct DecodeStep {
    enum class Kind {
        ByteLevel,    ///< joins all and reads them as bytes
        Replace,      ///< `pattern` by `content` in each token
        ByteFallback, ///< runs of "<0xE2>" become their bytes, U+FFFD for each when they are not UTF-8
        Fuse,         ///< joins all
        Strip,        ///< up to `start` and `stop` characters `content` off each token
        Metaspace,    ///< `pattern` becomes a space, dropped in the first token when `start` is 1
    };
    Kind kind = Kind::ByteLevel;
    std::string pattern, content;
    std::size_t start = 0, stop = 0;
};

std::string decodeTokens(const std::vector<DecodeStep>& steps, std::vector<std::string> tokens);

/// The byte of "<0xE2>", -1 for other spellings.
int fallbackByte(const std::string& piece);

} // namespace anneal
