#include "core/data/row_fields.h"

#include <algorithm>
#include <array>

namespace anneal {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> roles = {
    {{"system", "system"},
     {"developer", "developer"},
     {"user", "user"},
     {"human", "user"},
     {"assistant", "assistant"},
     {"gpt", "assistant"},
     {"chatgpt", "assistant"},
     {"bot", "assistant"},
     {"model", "assistant"},
     {"function_call", "assistant"},
     {"tool", "tool"},
     {"function", "tool"},
     {"observation", "tool"},
     {"ipython", "tool"},
     {"context", "user"},
     {"input", "user"}}};

std::string turnName(const std::string& field, std::size_t index) {
    return field + "[" + std::to_string(index) + "]";
}

/// "role" or "from", in the names of chat templates.
Result<std::string> roleOf(const Json& turn, const std::string& name) {
    const char* key = turn.contains("role") ? "role" : "from";
    if (!turn.contains(key) || !turn[key].is_string())
        return invalidInput(name + " has no \"role\".", "Each turn needs \"role\" and \"content\".");
    const auto& given = turn[key].get_ref<const std::string&>();
    const auto known = std::ranges::find(roles, given, &std::pair<std::string_view, std::string_view>::first);
    if (known == roles.end())
        return invalidInput(name + " has the unknown role \"" + given + "\".",
                            "Use system, user, assistant or tool.");
    return std::string(known->second);
}

/// The texts of a content that is a list of parts, joined; other parts cannot be learned here.
Result<std::string> joinedParts(const Json& parts, const std::string& name) {
    std::string text;
    for (const auto& part : parts) {
        if (part.is_string())
            text += part.get_ref<const std::string&>();
        else if (part.is_object() && part.value("type", Json()) == "text" && part.contains("text") &&
                 part["text"].is_string())
            text += part["text"].get_ref<const std::string&>();
        else
            return invalidInput(name + " holds a part that is not text.",
                                "Images and sound cannot be learned.");
    }
    return text;
}

bool callsTools(const Json& turn) {
    return turn.contains("tool_calls") && turn["tool_calls"].is_array() && !turn["tool_calls"].empty();
}

/// "content" or "value" as a text; null stays only beside tool calls.
Result<Json> contentOf(const Json& turn, const std::string& name) {
    const char* key = turn.contains("content") ? "content" : "value";
    if (!turn.contains(key) || turn[key].is_null()) {
        if (callsTools(turn))
            return Json(nullptr);
        return invalidInput(name + " has no \"content\".");
    }
    const auto& content = turn[key];
    if (content.is_array()) {
        ANNEAL_TRY(auto text, joinedParts(content, name));
        return Json(std::move(text));
    }
    if (!content.is_string())
        return invalidInput("The content of " + name + " is " + content.type_name() + ", not a text.");
    return content;
}

bool ignores(const Json& turn) {
    const auto train = turn.value("train", Json(true)), weight = turn.value("weight", Json(1));
    return train == false || (weight.is_number() && weight.get<double>() == 0);
}

Result<Json> normalizedTurn(const Json& turn, const std::string& name) {
    if (!turn.is_object())
        return invalidInput(name + " is " + turn.type_name() + ", not a turn with \"role\" and \"content\".");
    ANNEAL_TRY(auto role, roleOf(turn, name));
    ANNEAL_TRY(auto content, contentOf(turn, name));
    Json normalized = {{"role", std::move(role)}, {"content", std::move(content)}};
    for (const auto& [key, value] : turn.items())
        if (key != "role" && key != "from" && key != "content" && key != "value" && key != "train" &&
            key != "weight" && !value.is_null())
            normalized[key] = value;
    return normalized;
}

bool isSystem(const std::string& role) { return role == "system" || role == "developer"; }

/// Turns must come in an order that a conversation can have.
Status checkOrder(const Json& messages) {
    std::string before;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto& role = messages[i]["role"].get_ref<const std::string&>();
        const auto name = "turn " + std::to_string(i + 1);
        if (isSystem(role) && i > 0)
            return invalidInput("The turns are out of order: " + name + " is a " + role +
                                " turn, which may only come first.");
        if (role == "assistant" && (before.empty() || isSystem(before)))
            return invalidInput("The turns are out of order: " + name +
                                " is an assistant turn with no user turn before it.");
        if (role == before && (role == "assistant" || role == "user"))
            return invalidInput("The turns are out of order: " + name + " is a second " + role +
                                    " turn in a row.",
                                "Join the two turns.");
        before = role;
    }
    return {};
}

} // namespace

Status appendMessages(ParsedRow& parsed, const Json& turns, const std::string& field) {
    if (!turns.is_array() || turns.empty())
        return invalidInput("\"" + field + "\" must be a list of turns with \"role\" and \"content\".");
    for (std::size_t i = 0; i < turns.size(); ++i) {
        ANNEAL_TRY(auto turn, normalizedTurn(turns[i], turnName(field, i)));
        parsed.messages.push_back(std::move(turn));
        parsed.ignored.push_back(ignores(turns[i]));
    }
    return checkOrder(parsed.messages);
}

Result<ParsedRow> parseMessages(const Json& row) {
    const char* field =
        row.contains("messages") || !row.contains("conversations") ? "messages" : "conversations";
    ParsedRow parsed;
    if (!row.contains(field)) {
        ANNEAL_TRY(const auto missing, requiredText(row, {"messages"}));
        (void)missing;
    }
    ANNEAL_TRY(const auto system, optionalText(row, {"system"}));
    ANNEAL_TRY(const auto turns, jsonField(row, field));
    const bool hasSystem =
        turns.is_array() && !turns.empty() && turns[0].is_object() &&
        (turns[0].value("role", Json()) == "system" || turns[0].value("from", Json()) == "system");
    if (!system.empty() && !hasSystem) {
        parsed.messages.push_back({{"role", "system"}, {"content", system}});
        parsed.ignored.push_back(false);
    }
    ANNEAL_CHECK(appendMessages(parsed, turns, field));
    if (row.contains("tools") && !row["tools"].is_null() && row["tools"] != "") {
        ANNEAL_TRY(parsed.tools, jsonField(row, "tools"));
    }
    return parsed;
}

} // namespace anneal
