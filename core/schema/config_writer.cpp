#include "core/base/text.h"
#include "core/schema/config_tree.h"

#include <algorithm>
#include <map>

namespace anneal {

namespace schema {

namespace {

constexpr std::size_t flowWidth = 90;

/// Words that YAML 1.1 or 1.2 takes for something else than text.
bool isYamlWord(const std::string& text) {
    static constexpr std::string_view words[] = {"true", "false", "yes", "no",   "on",
                                                 "off",  "y",     "n",   "null", "~"};
    return std::find(std::begin(words), std::end(words), lowerAscii(text)) != std::end(words);
}

bool isPlain(const std::string& text) {
    constexpr std::string_view inside =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.+- ";
    constexpr std::string_view first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/";
    const bool begins = text.starts_with("./") || text.starts_with("../") ||
                        (!text.empty() && first.find(text.front()) != std::string_view::npos);
    return begins && text.back() != ' ' && text.find_first_not_of(inside) == std::string::npos &&
           !isYamlWord(text);
}

/// Line breaks beyond ASCII are breaks to YAML 1.1, but not to JSON, whose escapes it shares.
std::string escapeUnicodeBreaks(std::string text) {
    static constexpr std::pair<std::string_view, std::string_view> breaks[] = {{"\x7f", "\\u007f"},
                                                                               {"\xC2\x85", "\\u0085"},
                                                                               {"\xE2\x80\xA8", "\\u2028"},
                                                                               {"\xE2\x80\xA9", "\\u2029"},
                                                                               {"\xEF\xBB\xBF", "\\uFEFF"}};
    for (const auto& [bytes, escape] : breaks)
        for (auto at = text.find(bytes); at != std::string::npos; at = text.find(bytes, at + escape.size()))
            text.replace(at, bytes.size(), escape);
    return text;
}

std::string yamlScalar(const Json& value) {
    if (value.is_string())
        return yamlText(value.get<std::string>());
    if (value.is_number_float())
        return formatDouble(value.get<double>());
    return value.is_null() ? "null" : dumpJson(value);
}

std::string yamlObject(const Json& value) {
    std::string text;
    for (const auto& [key, item] : value.items())
        text += (text.empty() ? "{" : ", ") + key + ": " + yamlScalar(item);
    return text + "}";
}

std::string yamlItem(const Json& value) { return value.is_object() ? yamlObject(value) : yamlScalar(value); }

/// "validation: 0.05" instead of "0.05" in quotes: such settings hold a word or a number.
bool holdsNumber(const Field& field, const Json& value) {
    return field.kind == FieldKind::Text && !field.choices.empty() && value.is_string() &&
           parseDouble(value.get<std::string>()) && plainScalar(value.get<std::string>()).is_number();
}

} // namespace

std::string yamlText(const std::string& text) {
    return isPlain(text) ? text : escapeUnicodeBreaks(dumpJson(Json(text)));
}

std::string yamlValue(const Field& field, const Json& value) {
    if (holdsNumber(field, value))
        return value.get<std::string>();
    if (!value.is_array())
        return yamlItem(value);
    std::string text;
    for (const auto& item : value)
        text += (text.empty() ? "" : ", ") + yamlItem(item);
    return "[" + text + "]";
}

namespace {

/// Writes settings as nested YAML, opening sections as their keys come.
class ConfigWriter {
public:
    void write(const Field& field, const Json& value) {
        auto parts = split(field.key, '.');
        const auto name = parts.back();
        parts.pop_back();
        openSections(parts);
        const std::string indent(2 * parts.size(), ' ');
        const auto line = yamlValue(field, value);
        const bool block =
            value.is_array() && !value.empty() && (line.size() > flowWidth || value[0].is_object());
        text_ += indent + std::string(name) + ":" + (block ? "" : " " + line) + "\n";
        if (block)
            for (const auto& item : value)
                text_ += indent + "  - " + yamlItem(item) + "\n";
    }
    std::string take() { return text_.empty() ? "{}\n" : std::move(text_); }

private:
    void openSections(const std::vector<std::string_view>& parts) {
        std::size_t same = 0;
        while (same < parts.size() && same < open_.size() && parts[same] == open_[same])
            ++same;
        for (; same < parts.size(); ++same)
            text_ += std::string(2 * same, ' ') + std::string(parts[same]) + ":\n";
        open_ = parts;
    }

    std::string text_;
    std::vector<std::string_view> open_; ///< views into the table's keys
};

} // namespace

} // namespace schema

std::string writeConfig(const RunConfig& config, bool onlyChanged) {
    const RunConfig standard;
    schema::ConfigWriter writer;
    for (const auto& field : fieldTable())
        if (const auto value = field.read(config); !onlyChanged || value != field.read(standard))
            writer.write(field, value);
    return writer.take();
}

std::string overrideText(const Field& field, const RunConfig& config) {
    return std::string(field.key) + "=" + schema::yamlValue(field, field.read(config));
}

} // namespace anneal
