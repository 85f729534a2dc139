#include "core/data/row_fields.h"

#include "core/data/record_reader.h"

#include <algorithm>

namespace anneal {

namespace {

std::string fieldNames(const Json& row) {
    std::string names;
    for (const auto& [name, value] : row.items())
        names += (names.empty() ? "\"" : ", \"") + name + "\"";
    return names.empty() ? "none" : names;
}

const char* presentAlias(const Json& row, std::initializer_list<const char*> aliases) {
    const auto found = std::ranges::find_if(
        aliases, [&](const char* name) { return row.contains(name) && !row[name].is_null(); });
    return found == aliases.end() ? nullptr : *found;
}

Result<std::string> textOf(const Json& row, const char* name) {
    const auto& value = row[name];
    if (!value.is_string())
        return invalidInput("\"" + std::string(name) + "\" is " + value.type_name() + ", not a text.");
    return value.get<std::string>();
}

/// A list of whole numbers within [low, high].
Result<std::vector<std::int64_t>> integerList(const Json& row, const char* name) {
    ANNEAL_TRY(const auto list, jsonField(row, name));
    if (!list.is_array() ||
        !std::ranges::all_of(list, [](const Json& item) { return item.is_number_integer(); }))
        return invalidInput("\"" + std::string(name) + "\" must be a list of whole numbers.");
    return list.get<std::vector<std::int64_t>>();
}

/// First and past-last position that the attention mask keeps.
Result<std::pair<std::size_t, std::size_t>> keptRange(const Json& row, std::size_t size) {
    if (!row.contains("attention_mask") || row["attention_mask"].is_null())
        return std::pair{std::size_t{0}, size};
    ANNEAL_TRY(const auto mask, integerList(row, "attention_mask"));
    if (mask.size() != size)
        return invalidInput("\"attention_mask\" has " + std::to_string(mask.size()) +
                            " entries where \"input_ids\" has " + std::to_string(size) + ".");
    const auto first = std::ranges::find(mask, 1) - mask.begin();
    const auto last = std::find(mask.rbegin(), mask.rend(), 1).base() - mask.begin();
    if (first >= last)
        return invalidInput("\"attention_mask\" masks every token.");
    if (!std::all_of(mask.begin() + first, mask.begin() + last, [](auto value) { return value == 1; }))
        return invalidInput(
            "\"attention_mask\" masks tokens between others; it may only mask padding at the ends.",
            "Give each document its own row; packing is done here.");
    return std::pair{static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

Status checkLabel(std::int64_t label, std::int64_t id, std::size_t position) {
    if (label == -100 || label == id || position == 0)
        return {};
    return invalidInput("The label at position " + std::to_string(position) + " is " + std::to_string(label) +
                            ", but the token there is " + std::to_string(id) + ".",
                        "Labels are the token id or -100, and are not shifted.");
}

} // namespace

Result<std::string> requiredText(const Json& row, std::initializer_list<const char*> aliases) {
    if (const auto* name = presentAlias(row, aliases))
        return textOf(row, name);
    return invalidInput("The field \"" + std::string(*aliases.begin()) + "\" is missing; the row has " +
                        fieldNames(row) + ".");
}

Result<std::string> optionalText(const Json& row, std::initializer_list<const char*> aliases) {
    const auto* name = presentAlias(row, aliases);
    return name ? textOf(row, name) : Result<std::string>(std::string());
}

Result<Json> jsonField(const Json& row, const char* name) {
    const auto& value = row[name];
    if (!value.is_string())
        return value;
    auto parsed = parseRecordJson(value.get_ref<const std::string&>());
    if (!parsed)
        return invalidInput("\"" + std::string(name) + "\" is a text that is not JSON.");
    return parsed;
}

Result<ParsedRow> parseTokenIds(const Json& row) {
    if (!presentAlias(row, {"input_ids"}))
        return invalidInput("The field \"input_ids\" is missing; the row has " + fieldNames(row) + ".");
    ANNEAL_TRY(const auto ids, integerList(row, "input_ids"));
    auto labels = ids;
    if (presentAlias(row, {"labels"})) {
        ANNEAL_TRY(labels, integerList(row, "labels"));
    }
    if (labels.size() != ids.size())
        return invalidInput("\"labels\" has " + std::to_string(labels.size()) +
                            " entries where \"input_ids\" has " + std::to_string(ids.size()) + ".");
    ANNEAL_TRY(const auto kept, keptRange(row, ids.size()));
    ParsedRow parsed;
    parsed.kind = ParsedRow::Kind::Tokens;
    for (auto i = kept.first; i < kept.second; ++i) {
        if (ids[i] < 0 || ids[i] > INT32_MAX)
            return invalidInput("The token id " + std::to_string(ids[i]) + " at position " +
                                std::to_string(i) + " is out of range.");
        ANNEAL_CHECK(checkLabel(labels[i], ids[i], i));
        parsed.ids.push_back(static_cast<std::int32_t>(ids[i]));
        parsed.trained.push_back(labels[i] == ids[i]);
    }
    if (parsed.ids.empty())
        return invalidInput("\"input_ids\" is empty.");
    return parsed;
}

} // namespace anneal
