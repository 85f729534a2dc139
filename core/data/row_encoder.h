#pragma once
#include "core/data/record_reader.h"
#include "core/data/row_renderer.h"
#include "core/data/token_store.h"

#include <memory>

namespace anneal {

/// A row ready for the store.
struct EncodedRow {
    std::vector<std::uint32_t> tokens; ///< as stored; here the first token of a text carries its bit too
    std::string text;                  ///< rendered; empty unless asked for
    std::int64_t truncatedTokens = 0;
    std::uint64_t lostBytes = 0; ///< that the vocabulary has no token for
    std::size_t answerBegin =
        0; ///< first token of the last answer that is learned; the tokens before are its prompt
    std::string prompt, answer; ///< their texts; empty unless asked for
};

/// Tokenizes without the EOS that some tokenizers add by default.
Encoding encodeOpen(const Tokenizer& tokenizer, std::string_view text, bool addSpecial);

/// Why a row cannot be trained.
enum class RejectCause {
    Broken,         ///< syntax, fields, order of turns, template
    TooLong,        ///< max_length leaves no token of an answer
    NothingLearned, ///< no token is supervised for another reason
};

struct Rejection {
    RejectCause cause;
    std::string reason;
};

/// What became of a record: rows (several for a long text) or the reason why there are none.
struct RowOutcome {
    std::vector<EncodedRow> rows;
    std::optional<Rejection> rejection;
    /// Of what must not be on both sides of a split: the context, else the prompt, else the text.
    std::uint64_t groupKey = 0;
};

/// Turns parsed rows into tokens and label masks. Const calls are thread-safe.
///
/// The ids are those of the whole text, as transformers gives them, except where the tokens of a prompt alone
/// would be others than in front of its answer: there the text is tokenized in two parts, so that what the
/// model is asked with is what it was trained on.
class RowEncoder {
public:
    RowEncoder(std::shared_ptr<const Tokenizer> tokenizer, std::shared_ptr<const ChatTemplate> chatTemplate,
               const DataSettings& data, bool keepTexts);

    /// `record` tells where in a document a piece of text stands.
    RowOutcome encode(const ParsedRow& row, const RawRecord& record) const;

    const Tokenizer& tokenizer() const { return *tokenizer_; }

private:
    friend class ChatEncoder;

    RowOutcome encodeText(const ParsedRow& row, const RawRecord& record) const;
    RowOutcome encodeTokens(const ParsedRow& row) const;
    bool isSpecial(std::int32_t id) const {
        return static_cast<std::size_t>(id) < special_.size() && special_[static_cast<std::size_t>(id)];
    }
    Encoding plainEncode(std::string_view text, bool addSpecial) const {
        return encodeOpen(*tokenizer_, text, addSpecial);
    }

    std::shared_ptr<const Tokenizer> tokenizer_;
    std::shared_ptr<const ChatTemplate> chatTemplate_;
    RowRenderer renderer_;
    std::size_t maxLength_;
    bool learnAll_, learnLast_, keepTexts_;
    std::vector<bool> special_; ///< ids of control tokens
};

} // namespace anneal
