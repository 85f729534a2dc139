#include "core/base/text.h"
#include "core/schema/config_tree.h"

namespace anneal {

namespace {

std::string number(double value) {
    const auto text = formatDouble(value);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string rangeText(const Field& field) {
    std::string text;
    if (field.minimum)
        text = (field.minimumExclusive ? "> " : "≥ ") + number(*field.minimum);
    if (field.maximum)
        text += (text.empty() ? "" : ", ") + std::string(field.maximumExclusive ? "< " : "≤ ") +
                number(*field.maximum);
    return text;
}

std::string valuesText(const Field& field) {
    std::vector<std::string> values;
    for (const auto& choice : field.choices)
        values.push_back("`" + choice + "`");
    auto text = values.empty() ? rangeText(field) : join(values, ", ");
    if (!field.unit.empty())
        text += (text.empty() ? "" : " ") + std::string(field.unit);
    if (field.optional)
        text += text.empty() ? "or `null`" : ", or `null`";
    return text;
}

std::string aliasText(const Field& field) {
    std::vector<std::string> names;
    for (const auto& alias : field.aliases)
        names.push_back("`" + alias + "`");
    return join(names, ", ");
}

std::string rowText(const Field& field) {
    return "| `" + std::string(field.key) + "` | `" + schema::yamlValue(field, field.read(RunConfig())) +
           "` | " + valuesText(field) + " | " + std::string(field.help) + " | " + aliasText(field) + " |\n";
}

} // namespace

std::string configMarkdown() {
    std::string text = "# Settings\n";
    std::string_view group;
    for (const auto& field : fieldTable()) {
        if (field.group != group)
            text +=
                "\n## " + std::string(field.group) +
                "\n\n| Key | Default | Values | Meaning | Names in other tools |\n|---|---|---|---|---|\n";
        group = field.group;
        text += rowText(field);
    }
    return text;
}

} // namespace anneal
