#include "core/data/row_format.h"

#include "core/data/row_fields.h"

#include <algorithm>
#include <array>

namespace anneal {

namespace {

/// A format by fields that must all be there; each may go by several names.
struct Signature {
    RowFormat format;
    std::vector<std::vector<std::string_view>> fields;
};

/// In order of preference: the first that fits is taken.
const std::vector<Signature>& signatures() {
    static const std::vector<Signature> all = {
        {RowFormat::TokenIds, {{"input_ids"}}},
        {RowFormat::Messages, {{"messages", "conversations"}}},
        {RowFormat::PromptCompletion, {{"prompt"}, {"completion", "response"}}},
        {RowFormat::QuestionAnswer, {{"question"}, {"answer"}}},
        {RowFormat::Alpaca, {{"instruction"}, {"output", "response"}}},
        {RowFormat::Text, {{"text"}}},
    };
    return all;
}

constexpr std::array<std::pair<RowFormat, const char*>, 6> names = {
    {{RowFormat::Messages, "messages"},
     {RowFormat::Alpaca, "alpaca"},
     {RowFormat::PromptCompletion, "prompt_completion"},
     {RowFormat::QuestionAnswer, "question_answer"},
     {RowFormat::Text, "text"},
     {RowFormat::TokenIds, "token_ids"}}};

void addText(Json& messages, const char* role, std::string text) {
    messages.push_back({{"role", role}, {"content", std::move(text)}});
}

Status addOptionalSystem(ParsedRow& parsed, const Json& row) {
    ANNEAL_TRY(auto system, optionalText(row, {"system"}));
    if (!system.empty())
        addText(parsed.messages, "system", std::move(system));
    return {};
}

Result<ParsedRow> finishChat(ParsedRow parsed) {
    parsed.ignored.resize(parsed.messages.size(), false);
    return parsed;
}

Result<ParsedRow> parseQuestion(const Json& row) {
    ParsedRow parsed;
    ANNEAL_TRY(const auto question, requiredText(row, {"question"}));
    ANNEAL_TRY(auto answer, requiredText(row, {"answer"}));
    ANNEAL_TRY(parsed.context, optionalText(row, {"context", "article"}));
    ANNEAL_CHECK(addOptionalSystem(parsed, row));
    addText(parsed.messages, "user", questionTurn(parsed.context, question));
    addText(parsed.messages, "assistant", std::move(answer));
    return finishChat(std::move(parsed));
}

Status addHistory(ParsedRow& parsed, const Json& row) {
    if (!row.contains("history") || row["history"].is_null())
        return {};
    ANNEAL_TRY(const auto history, jsonField(row, "history"));
    const auto isPair = [](const Json& turn) {
        return turn.is_array() && turn.size() == 2 && turn[0].is_string() && turn[1].is_string();
    };
    if (!history.is_array() || !std::ranges::all_of(history, isPair))
        return invalidInput("\"history\" must be a list of [user, assistant] pairs of texts.");
    for (const auto& turn : history) {
        addText(parsed.messages, "user", turn[0]);
        addText(parsed.messages, "assistant", turn[1]);
    }
    return {};
}

Result<ParsedRow> parseInstruction(const Json& row) {
    ParsedRow parsed;
    ANNEAL_TRY(const auto instruction, requiredText(row, {"instruction"}));
    ANNEAL_TRY(const auto input, optionalText(row, {"input", "context"}));
    ANNEAL_TRY(auto output, requiredText(row, {"output", "response"}));
    ANNEAL_CHECK(addOptionalSystem(parsed, row));
    ANNEAL_CHECK(addHistory(parsed, row));
    addText(parsed.messages, "user", instructionTurn(instruction, input));
    addText(parsed.messages, "assistant", std::move(output));
    return finishChat(std::move(parsed));
}

Result<ParsedRow> parsePrompt(const Json& row) {
    ParsedRow parsed;
    const char* completion =
        row.contains("completion") || !row.contains("response") ? "completion" : "response";
    if (row.contains("prompt") && row["prompt"].is_array() && row.contains(completion)) {
        ANNEAL_CHECK(appendMessages(parsed, row["prompt"], "prompt"));
        parsed.ignored.assign(parsed.messages.size(), true); // only the completion is learned
        ANNEAL_CHECK(appendMessages(parsed, row[completion], completion));
        return finishChat(std::move(parsed));
    }
    parsed.plain = true;
    ANNEAL_TRY(auto prompt, requiredText(row, {"prompt"}));
    ANNEAL_TRY(auto answer, requiredText(row, {completion}));
    ANNEAL_CHECK(addOptionalSystem(parsed, row));
    addText(parsed.messages, "user", std::move(prompt));
    addText(parsed.messages, "assistant", std::move(answer));
    return finishChat(std::move(parsed));
}

Result<ParsedRow> parseText(const Json& row) {
    ParsedRow parsed;
    parsed.kind = ParsedRow::Kind::Text;
    ANNEAL_TRY(parsed.text, requiredText(row, {"text"}));
    if (parsed.text.empty())
        return invalidInput("\"text\" is empty.");
    return parsed;
}

} // namespace

const char* rowFormatName(RowFormat format) {
    return std::ranges::find(names, format, &std::pair<RowFormat, const char*>::first)->second;
}

std::optional<RowFormat> rowFormatFromName(std::string_view name) {
    for (const auto& [format, known] : names)
        if (name == known)
            return format;
    return std::nullopt;
}

std::optional<DetectedFormat> detectFormat(const Json& row) {
    if (!row.is_object())
        return std::nullopt;
    for (const auto& signature : signatures()) {
        std::string found;
        const bool all = std::ranges::all_of(signature.fields, [&](const auto& aliases) {
            const auto name = std::ranges::find_if(aliases, [&](auto alias) { return row.contains(alias); });
            if (name != aliases.end())
                found += (found.empty() ? "\"" : " and \"") + std::string(*name) + "\"";
            return name != aliases.end();
        });
        if (all)
            return DetectedFormat{signature.format,
                                  (signature.fields.size() > 1 ? "fields " : "field ") + found};
    }
    return std::nullopt;
}

std::string knownFields() {
    return "messages, or prompt and completion, or question and answer (with context), or instruction and "
           "output, or "
           "text, or input_ids and labels";
}

Result<ParsedRow> parseRow(const Json& row, RowFormat format) {
    if (!row.is_object())
        return invalidInput("The row is " + std::string(row.type_name()) + ", not an object with fields.");
    switch (format) {
    case RowFormat::Messages: return parseMessages(row);
    case RowFormat::Alpaca: return parseInstruction(row);
    case RowFormat::PromptCompletion: return parsePrompt(row);
    case RowFormat::QuestionAnswer: return parseQuestion(row);
    case RowFormat::Text: return parseText(row);
    case RowFormat::TokenIds: break;
    }
    return parseTokenIds(row);
}

std::string questionTurn(std::string_view context, std::string_view question) {
    if (context.empty())
        return std::string(question);
    return "Context:\n" + std::string(context) + "\n\nQuestion: " + std::string(question);
}

std::string instructionTurn(std::string_view instruction, std::string_view input) {
    return std::string(instruction) + (input.empty() ? "" : "\n" + std::string(input));
}

} // namespace anneal
