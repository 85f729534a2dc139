#pragma once
#include "core/data/chat_template.h"
#include "core/data/row_format.h"
#include "core/data/tokenizer.h"
#include "core/schema/run_config.h"

namespace anneal {

/// A stretch of bytes of a rendered text.
struct ByteRange {
    std::size_t begin = 0, end = 0;
};

/// An assistant turn in a rendered text: what the model writes after the prompt, with its end marker.
struct AnswerRange {
    ByteRange bytes;
    bool learned = true;
    /// Marked by {% generation %}: then the marks decide, and an end marker that follows belongs to the
    /// answer too.
    bool marked = false;
};

/// A part of the prompt that may be cut from its middle when the row is too long.
struct CuttableRange {
    ByteRange bytes;
    std::size_t keptTokens; ///< not cut below this
};

/// A conversation as the text that is tokenized.
struct RenderedRow {
    std::string text;
    /// There is no template: the tokenizer adds its BOS.
    bool addSpecial = false;
    std::vector<AnswerRange> answers;    ///< in the order of the text
    std::vector<CuttableRange> cuttable; ///< in the order in which they are cut: context, question, system
};

/// Renders conversations with a chat template, or without one.
///
/// Without a template the contents follow each other: prompt and completion of plain texts as they are,
/// others each on lines of its own; an answer that is not the last ends with the EOS token. With one, answers
/// are found by {% generation %} marks, else by rendering the turns before an answer, which gives its begin,
/// and the turns up to it, which gives its end.
class RowRenderer {
public:
    RowRenderer(const Tokenizer& tokenizer, const ChatTemplate* chatTemplate, const DataSettings& data);

    /// The row with the configured system prompt, when it has no system turn of its own.
    ParsedRow withSystemPrompt(ParsedRow row) const;
    /// `row` must be a chat.
    Result<RenderedRow> render(const ParsedRow& row) const;
    /// The turns of a prompt with what opens an answer.
    Result<RenderedRow> renderPrompt(const Json& messages, const Json& tools) const;

private:
    Result<Rendering> renderTurns(const ParsedRow& row, std::size_t count, bool generationPrompt) const;
    RenderedRow joinTurns(const ParsedRow& row) const;
    Status findAnswers(const ParsedRow& row, const Rendering& rendering, RenderedRow& rendered) const;
    Result<AnswerRange> findAnswer(const ParsedRow& row, std::size_t turn, std::string_view text) const;
    void chooseLearned(const ParsedRow& row, RenderedRow& rendered) const;

    const ChatTemplate* chatTemplate_;
    std::string systemPrompt_, lossOn_, bosText_, eosText_;
};

/// Numbers of the assistant turns.
std::vector<std::size_t> assistantTurns(const ParsedRow& row);

} // namespace anneal
