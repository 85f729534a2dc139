#include "core/base/text.h"
#include "core/schema/checker.h"
#include "core/schema/config_tree.h"
#include "core/schema/field_values.h"

#include <algorithm>

namespace anneal {

namespace schema {

namespace {

std::string numberText(double value) {
    const auto text = formatDouble(value);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

bool belowMinimum(const Field& field, double value) {
    return field.minimum && (field.minimumExclusive ? value <= *field.minimum : value < *field.minimum);
}

bool aboveMaximum(const Field& field, double value) {
    return field.maximum && (field.maximumExclusive ? value >= *field.maximum : value > *field.maximum);
}

void checkRange(Checker& checker, const Field& field, double value) {
    const auto key = std::string(field.key);
    if (belowMinimum(field, value))
        checker.error(key,
                      key + " must be " + (field.minimumExclusive ? "above " : "at least ") +
                          numberText(*field.minimum) + ", not " + numberText(value),
                      "The default is " + yamlValue(field, field.read(RunConfig())) + ".");
    else if (aboveMaximum(field, value))
        checker.error(key,
                      key + " must be " + (field.maximumExclusive ? "below " : "at most ") +
                          numberText(*field.maximum) + ", not " + numberText(value),
                      "The default is " + yamlValue(field, field.read(RunConfig())) + ".");
}

void checkChoice(Checker& checker, const Field& field, const std::string& value) {
    if (std::find(field.choices.begin(), field.choices.end(), value) != field.choices.end())
        return;
    const auto meant = nearest(value, field.choices);
    checker.error(field.key, std::string(field.key) + " has no choice " + inQuotes(value),
                  (meant ? "Did you mean " + *meant + "? " : std::string()) + "It can be " +
                      join(field.choices, ", ") + ".");
}

/// Choices and ranges, as the row states them.
void checkRow(Checker& checker, const Field& field) {
    const Json value = field.read(checker.config());
    if (value.is_number())
        checkRange(checker, field, value.get<double>());
    if (!field.closed)
        return;
    if (value.is_string())
        checkChoice(checker, field, value.get<std::string>());
    if (field.kind == FieldKind::TextList)
        for (const auto& item : value)
            checkChoice(checker, field, item.get<std::string>());
}

} // namespace

std::string inQuotes(std::string_view text) { return quoted(Json(text)); }

bool pathExists(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
}

bool folderExists(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

void Checker::add(Severity severity, std::string_view key, std::string text, std::string fix) {
    const int line = lineOf(std::string(key));
    problems_.push_back({std::string(key), line, severity,
                         std::move(text) + (line ? place(loaded_.file, line) : "") + ".", std::move(fix)});
}

int Checker::lineOf(std::string key) const {
    for (;;) {
        if (const auto found = loaded_.lines.find(key); found != loaded_.lines.end())
            return found->second;
        const auto dot = key.rfind('.');
        if (dot == std::string::npos)
            return 0;
        key.resize(dot);
    }
}

} // namespace schema

Problems validate(const LoadedConfig& loaded) {
    schema::Checker checker(loaded);
    for (const auto& field : fieldTable())
        schema::checkRow(checker, field);
    schema::checkModel(checker);
    schema::checkLora(checker);
    schema::checkData(checker);
    schema::checkTraining(checker);
    schema::checkEvaluation(checker);
    schema::checkHardware(checker);
    schema::checkOperation(checker);
    return checker.take();
}

} // namespace anneal
