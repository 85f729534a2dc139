#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anneal::jinja {

struct Token {
    enum class Kind {
        Data,       ///< text outside tags
        BlockBegin, ///< {%
        BlockEnd,
        PrintBegin, ///< {{
        PrintEnd,
        Name,
        String, ///< text is the value, escapes resolved
        Integer,
        Float,
        Operator,
        End,
    };
    Kind kind = Kind::End;
    std::string text;
    int line = 0;
    std::int64_t integer = 0;
    double real = 0;
};

/// Cuts a template into tokens as Jinja does with trim_blocks and lstrip_blocks: one final newline goes,
/// comments and raw blocks are resolved, - and + at tags are obeyed. Throws TemplateFault.
std::vector<Token> tokenize(std::string_view source);

} // namespace anneal::jinja
