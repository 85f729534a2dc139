#include "core/schema/field_values.h"

#include "core/base/text.h"

#include <cmath>

namespace anneal::schema {

namespace {

/// Doubles up to here hold every whole number exactly.
constexpr double exactLimit = 9007199254740992.0;

TypeError mustBe(std::string_view what, const Json& json) {
    return "must be " + std::string(what) + ", not " + quoted(json);
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> list;
    for (const auto part : split(text, ','))
        if (const auto word = trim(part); !word.empty())
            list.emplace_back(word);
    return list;
}

TypeError readSource(const Json& json, DataSource& source) {
    if (!json.is_object())
        return readValue(json, source.path);
    for (const auto& [key, value] : json.items()) {
        TypeError error;
        if (key == "path")
            error = readValue(value, source.path);
        else if (key == "format")
            error = readValue(value, source.format);
        else if (key == "weight")
            error = readValue(value, source.weight);
        else
            return "has an unknown key \"" + key + "\"; a source has path, format and weight";
        if (error)
            return "." + key + " " + *error;
    }
    return std::nullopt;
}

} // namespace

std::string quoted(const Json& json) {
    constexpr std::size_t limit = 60;
    auto text = json.is_null() ? std::string("empty") : dumpJson(json);
    if (text.size() > limit) {
        auto end = limit;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u)
            --end;
        text.resize(end);
        text += "...";
    }
    return text;
}

TypeError readValue(const Json& json, bool& value) {
    if (json.is_boolean()) {
        value = json.get<bool>();
        return std::nullopt;
    }
    const auto word = json.is_string() ? lowerAscii(json.get<std::string>()) : std::string();
    if (word == "yes" || word == "on" || word == "true")
        value = true;
    else if (word == "no" || word == "off" || word == "false")
        value = false;
    else
        return mustBe("true or false", json);
    return std::nullopt;
}

TypeError readValue(const Json& json, std::int64_t& value) {
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        return mustBe("a smaller whole number", json);
    if (json.is_number_integer()) {
        value = json.get<std::int64_t>();
        return std::nullopt;
    }
    if (!json.is_number() || json.get<double>() != std::trunc(json.get<double>()) ||
        std::abs(json.get<double>()) > exactLimit)
        return mustBe("a whole number", json);
    value = static_cast<std::int64_t>(json.get<double>());
    return std::nullopt;
}

TypeError readValue(const Json& json, double& value) {
    const auto number = numberFromJson(json);
    if (!number || !std::isfinite(*number))
        return mustBe("a number", json);
    value = *number;
    return std::nullopt;
}

TypeError readValue(const Json& json, std::string& value) {
    if (json.is_string())
        value = json.get<std::string>();
    else if (json.is_null())
        value.clear();
    else if (json.is_number_float())
        value = formatDouble(json.get<double>());
    else if (json.is_number() || json.is_boolean())
        value = dumpJson(json);
    else
        return mustBe("text", json);
    return std::nullopt;
}

TypeError readValue(const Json& json, std::vector<std::string>& value, TextListStyle style) {
    std::vector<std::string> list;
    if (json.is_array()) {
        for (const auto& item : json)
            if (const auto error = readValue(item, list.emplace_back()))
                return mustBe("a list of texts", json);
    } else if (!json.is_null()) {
        std::string text;
        if (readValue(json, text))
            return mustBe("a list of texts", json);
        list = style == TextListStyle::Words ? words(text) : std::vector<std::string>{std::move(text)};
    }
    value = std::move(list);
    return std::nullopt;
}

TypeError readValue(const Json& json, std::vector<DataSource>& value) {
    std::vector<DataSource> sources;
    if (json.is_array()) {
        for (const auto& item : json)
            if (const auto error = readSource(item, sources.emplace_back()))
                return "entry " + std::to_string(sources.size()) + (error->starts_with('.') ? "" : " ") +
                       *error;
    } else if (!json.is_null()) {
        if (const auto error = readSource(json, sources.emplace_back()))
            return error;
    }
    value = std::move(sources);
    return std::nullopt;
}

TypeError readListAsText(const Json& json, std::string& value) {
    if (!json.is_array())
        return readValue(json, value);
    std::vector<std::string> items;
    if (const auto error = readValue(json, items, TextListStyle::Whole))
        return error;
    value = join(items, ",");
    return std::nullopt;
}

Json writeValue(const std::vector<DataSource>& value) {
    Json list = Json::array();
    for (const auto& source : value)
        list.push_back({{"path", source.path}, {"format", source.format}, {"weight", source.weight}});
    return list;
}

} // namespace anneal::schema
