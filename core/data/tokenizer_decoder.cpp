#include "core/data/tokenizer_decoder.h"

#include "core/base/text.h"
#include "core/data/tokenizer_text.h"

namespace anneal {

namespace {

using Tokens = std::vector<std::string>;

std::string joined(const Tokens& tokens) {
    std::string text;
    for (const auto& token : tokens)
        text += token;
    return text;
}

Tokens byteLevel(const Tokens& tokens) {
    std::string bytes;
    for (const auto& token : tokens)
        bytes += bytesFromSpelling(token).value_or(token);
    return {replaceInvalidUtf8(bytes)};
}

void replaceIn(std::string& text, const std::string& pattern, const std::string& content) {
    for (auto at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + content.size()))
        text.replace(at, pattern.size(), content);
}

Tokens byteFallback(const Tokens& tokens) {
    Tokens out;
    std::string run;
    const auto flush = [&] {
        if (run.empty())
            return;
        if (!findInvalidUtf8(run))
            out.push_back(run);
        else
            out.insert(out.end(), run.size(), "\xEF\xBF\xBD");
        run.clear();
    };
    for (const auto& token : tokens) {
        if (const int byte = fallbackByte(token); byte >= 0) {
            run.push_back(static_cast<char>(byte));
            continue;
        }
        flush();
        out.push_back(token);
    }
    flush();
    return out;
}

void strip(std::string& token, const DecodeStep& step) {
    if (step.content.empty())
        return;
    for (std::size_t i = 0; i < step.start && token.starts_with(step.content); ++i)
        token.erase(0, step.content.size());
    for (std::size_t i = 0; i < step.stop && token.ends_with(step.content); ++i)
        token.resize(token.size() - step.content.size());
}

void apply(const DecodeStep& step, Tokens& tokens) {
    switch (step.kind) {
    case DecodeStep::Kind::ByteLevel: tokens = byteLevel(tokens); return;
    case DecodeStep::Kind::ByteFallback: tokens = byteFallback(tokens); return;
    case DecodeStep::Kind::Fuse: tokens = {joined(tokens)}; return;
    case DecodeStep::Kind::Replace:
        for (auto& token : tokens)
            replaceIn(token, step.pattern, step.content);
        return;
    case DecodeStep::Kind::Strip:
        for (auto& token : tokens)
            strip(token, step);
        return;
    case DecodeStep::Kind::Metaspace:
        for (std::size_t i = 0; i < tokens.size(); ++i)
            replaceIn(tokens[i], step.pattern, i == 0 && step.start == 1 ? "" : " ");
        return;
    }
}

int hexDigit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

} // namespace

int fallbackByte(const std::string& piece) {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>')
        return -1;
    const int high = hexDigit(piece[3]), low = hexDigit(piece[4]);
    return high < 0 || low < 0 ? -1 : 16 * high + low;
}

std::string decodeTokens(const std::vector<DecodeStep>& steps, std::vector<std::string> tokens) {
    for (const auto& step : steps)
        apply(step, tokens);
    return joined(tokens);
}

} // namespace anneal
