#pragma once
#include "core/base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// What the fields of a row mean; names as in data.train.N.format.
enum class RowFormat { Messages, Alpaca, PromptCompletion, QuestionAnswer, Text, TokenIds };
const char* rowFormatName(RowFormat format);
std::optional<RowFormat> rowFormatFromName(std::string_view name);

/// A format with the reason why it was taken ("fields \"question\" and \"answer\"").
struct DetectedFormat {
    RowFormat format;
    std::string reason;
};
/// By the names of a row's fields; nothing when no format has its fields there.
std::optional<DetectedFormat> detectFormat(const Json& row);
/// The fields of every format, for a message when none fits.
std::string knownFields();

/// A row as a conversation, a text or tokens, whatever it looked like in the file.
struct ParsedRow {
    enum class Kind { Chat, Text, Tokens } kind = Kind::Chat;

    /// Chat: turns as a chat template sees them, roles system, user, assistant, tool.
    Json messages = Json::array();
    Json tools = nullptr;
    /// Assistant turns that are context only: the turns of a prompt, or marked with "train": false or
    /// "weight": 0.
    std::vector<bool> ignored;
    /// Prompt and completion were plain texts: without a template they are joined as they are.
    bool plain = false;
    /// Of a question with context, a part of the user turn: the first to be cut from a row that is too long.
    std::string context;

    std::string text; ///< Text
    /// Tokens
    std::vector<std::int32_t> ids;
    std::vector<bool> trained;
};

/// Reads the fields of a row. Errors name the missing or wrong field and what is there instead.
Result<ParsedRow> parseRow(const Json& row, RowFormat format);

/// The one place that says how a question with its context becomes a user turn.
std::string questionTurn(std::string_view context, std::string_view question);
/// Likewise for instruction and input; the input may be empty.
std::string instructionTurn(std::string_view instruction, std::string_view input);

} // namespace anneal
