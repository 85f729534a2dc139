#pragma once
#include "core/data/row_encoder.h"

namespace anneal {

/// Encodes one conversation: render, tokenize, cut to max_length, label. Lives for one row.
///
/// A row that is too long loses, in this order: whole exchanges (the last ones, or the first ones when only
/// the last answer is learned), the middle of its context, of its question, of its system turn; the end of
/// the answer goes only when question and answer alone do not fit.
class ChatEncoder {
public:
    ChatEncoder(const RowEncoder& encoder, const ParsedRow& row);

    RowOutcome encode();

private:
    /// First and past-last token of the learned part of an answer, and whether the EOS token is to be added.
    struct AnswerTokens {
        std::size_t begin = 0, end = 0;
    };

    std::optional<Rejection> renderAndTokenize();
    std::optional<Rejection> tokenize();
    std::optional<std::size_t> findSeam(std::size_t pieceBegin) const;
    bool bordersAgree(std::size_t seam, std::size_t token, std::size_t pieceBegin) const;
    void label();
    AnswerTokens answerTokens(const AnswerRange& answer) const;
    bool endsWithoutMarker(const AnswerRange& answer, const AnswerTokens& tokens) const;

    bool tooLong() const { return size() > encoder_.maxLength_; }
    std::size_t size() const { return encoding_.ids.size() + (addEos_ ? 1 : 0); }
    bool dropExchanges();
    bool cutPrompt();
    std::size_t wantedCut() const;
    ByteRange middleOf(const CuttableRange& range, std::size_t tokens) const;
    void erase(const ByteRange& bytes);
    /// First token that begins at or after a byte.
    std::size_t tokenAt(std::size_t byte) const;
    std::size_t tokensIn(const ByteRange& bytes) const { return tokenAt(bytes.end) - tokenAt(bytes.begin); }
    std::size_t promptTokens() const;

    RowOutcome finish(std::size_t originalSize) const;
    EncodedRow encodedRow() const;
    void addTexts(EncodedRow& row) const;
    Rejection nothingLearned(std::size_t originalSize) const;

    const RowEncoder& encoder_;
    ParsedRow row_;
    RenderedRow rendered_;
    Encoding encoding_;
    std::vector<bool> trained_; ///< of every token
    bool addEos_ = false, eosTrained_ = false;
};

} // namespace anneal
