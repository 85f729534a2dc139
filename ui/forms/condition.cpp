#include "ui/forms/condition.h"

#include "core/base/text.h"

namespace anneal {

namespace {

std::string plainText(const Json& value) {
    if (value.is_string())
        return value.get<std::string>();
    return value.is_null() ? std::string() : dumpJson(value);
}

double numberOf(const Json& value) { return numberFromJson(value).value_or(0); }

} // namespace

bool conditionHolds(std::string_view condition, const RunConfig& config) {
    const auto place = condition.find_first_of("=!>");
    if (place == std::string_view::npos)
        return true;
    const auto* field = findField(trim(condition.substr(0, place)));
    if (!field)
        return true;
    const auto value = field->read(config);
    const char sign = condition[place];
    const auto wanted = trim(condition.substr(place + (sign == '!' ? 2 : 1)));
    if (sign == '>')
        return numberOf(value) > parseDouble(wanted).value_or(0);
    return (plainText(value) == wanted) == (sign == '=');
}

} // namespace anneal
