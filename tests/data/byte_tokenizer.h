#pragma once
#include "core/data/tokenizer.h"

#include <algorithm>

namespace anneal::test {

/// A tokenizer that is plain to reason about: a byte is its own id; control tokens and a few longer tokens
/// follow. The longest token at a place is taken, but one of white space only before white space or the end,
/// as the split of GPT-2 has it. As with SmolLM2, pad is eos is <|im_end|>.
class ByteTokenizer : public Tokenizer {
public:
    static constexpr std::int32_t bos = 256, imStart = 257, imEnd = 258;

    /// `merges`: further tokens, from id 259 on.
    explicit ByteTokenizer(std::vector<std::string> merges = {}, bool addBos = false)
        : pieces_{"<s>", "<|im_start|>", "<|im_end|>"}, addBos_(addBos) {
        pieces_.insert(pieces_.end(), merges.begin(), merges.end());
    }

    Encoding encode(std::string_view text, bool addSpecial) const override {
        Encoding encoding;
        if (addSpecial && addBos_)
            append(encoding, bos, 0, 0);
        for (std::size_t at = 0; at < text.size();) {
            const auto piece = longestPiece(text.substr(at));
            const auto length = piece < 0 ? 1 : pieces_[static_cast<std::size_t>(piece)].size();
            append(encoding, piece < 0 ? static_cast<unsigned char>(text[at]) : 256 + piece, at, at + length);
            at += length;
        }
        return encoding;
    }

    std::string decode(std::span<const std::int32_t> ids, bool skipSpecial) const override {
        std::string text;
        for (const auto id : ids)
            if (!skipSpecial || id < bos || id > imEnd)
                text += idToPiece(id);
        return text;
    }

    std::string tokenText(std::int32_t id) const override { return idToPiece(id); }
    std::int32_t vocabularySize() const override { return 256 + static_cast<std::int32_t>(pieces_.size()); }
    std::int32_t bosId() const override { return addBos_ ? bos : -1; }
    std::int32_t eosId() const override { return imEnd; }
    std::int32_t padId() const override { return imEnd; }

    std::string idToPiece(std::int32_t id) const override {
        return id < 256 ? std::string(1, static_cast<char>(id)) : pieces_[static_cast<std::size_t>(id - 256)];
    }

    std::int32_t pieceToId(std::string_view piece) const override {
        const auto found = std::ranges::find(pieces_, piece);
        if (found != pieces_.end())
            return 256 + static_cast<std::int32_t>(found - pieces_.begin());
        return piece.size() == 1 ? static_cast<unsigned char>(piece[0]) : -1;
    }

    std::string fingerprint() const override {
        return "bytes" + std::to_string(pieces_.size()) + (addBos_ ? "b" : "");
    }

private:
    static void append(Encoding& encoding, std::int32_t id, std::size_t begin, std::size_t end) {
        encoding.ids.push_back(id);
        encoding.begins.push_back(static_cast<std::uint32_t>(begin));
        encoding.ends.push_back(static_cast<std::uint32_t>(end));
    }

    static bool isSpace(char c) { return c == ' ' || c == '\n'; }
    static bool isWhole(const std::string& piece, std::string_view text) {
        return !std::ranges::all_of(piece, isSpace) || text.size() == piece.size() ||
               isSpace(text[piece.size()]);
    }

    int longestPiece(std::string_view text) const {
        int best = -1;
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (text.starts_with(pieces_[i]) && isWhole(pieces_[i], text) &&
                (best < 0 || pieces_[i].size() > pieces_[static_cast<std::size_t>(best)].size()))
                best = static_cast<int>(i);
        return best;
    }

    std::vector<std::string> pieces_;
    bool addBos_;
};

} // namespace anneal::test
