#include "core/data/jinja_filters.h"

#include "core/base/text.h"
#include "core/data/jinja_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace anneal::jinja {

namespace {

Value defaultValue(const Value& input, const Arguments& arguments) {
    const bool alsoFalse = argumentOr(arguments, 1, "boolean", false).truth();
    if (!input.isUndefined() && !(alsoFalse && !input.truth()))
        return input;
    return argumentOr(arguments, 0, "default_value", std::string{});
}

Value toJsonText(const Value& input, const Arguments& arguments) {
    JsonStyle style;
    style.ensureAscii = argumentOr(arguments, 0, "ensure_ascii", false).truth();
    const auto indent = argumentOr(arguments, 1, "indent", {});
    if (indent.isString())
        style.indent = indent.text();
    else if (!indent.isNone())
        style.indent = std::string(
            static_cast<std::size_t>(std::clamp<std::int64_t>(integerArgument(indent, "tojson"), 0, 64)),
            ' ');
    if (style.indent)
        style.itemSeparator = ",";
    const auto separators = argumentOr(arguments, 2, "separators", {});
    if (!separators.isNone()) {
        const auto parts = iterate(separators);
        if (parts.size() != 2)
            fault("tojson() needs two separators");
        style.itemSeparator = str(parts[0]);
        style.keySeparator = str(parts[1]);
    }
    style.sortKeys = argumentOr(arguments, 3, "sort_keys", false).truth();
    return textOf(toJson(input, style), input);
}

std::optional<double> parsedNumber(const Value& input) {
    if (!input.isString())
        return input.number();
    return parseDouble(stripped(input.text(), Side::Both));
}

Value toInteger(const Value& input, const Arguments& arguments) {
    constexpr double largest = 9.2e18;
    const auto base = integerArgument(argumentOr(arguments, 1, "base", std::int64_t{10}), "int");
    if (input.isString() && base != 10) {
        auto text = lowerAscii(stripped(input.text(), Side::Both));
        if (text.starts_with("0x") || text.starts_with("0b") || text.starts_with("0o"))
            text.erase(0, 2);
        std::int64_t value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value,
                                          static_cast<int>(std::clamp<std::int64_t>(base, 2, 36)));
        if (read.ec == std::errc() && read.ptr == text.data() + text.size() && !text.empty())
            return value;
    }
    if (const auto whole =
            input.isString() ? parseInteger(stripped(input.text(), Side::Both)) : input.integer())
        return *whole;
    if (const auto real = parsedNumber(input); real && std::abs(*real) < largest)
        return static_cast<std::int64_t>(*real);
    return argumentOr(arguments, 0, "default", std::int64_t{0});
}

Value toFloat(const Value& input, const Arguments& arguments) {
    const auto real = parsedNumber(input);
    return real ? Value(*real) : argumentOr(arguments, 0, "default", 0.0);
}

Value rounded(const Value& input, const Arguments& arguments) {
    const auto value = input.number();
    if (!value)
        fault("round() needs a number, not '" + std::string(input.typeName()) + "'");
    const auto precision = std::clamp<std::int64_t>(
        integerArgument(argumentOr(arguments, 0, "precision", std::int64_t{0}), "round"), -15, 15);
    const auto method = str(argumentOr(arguments, 1, "method", "common"));
    const auto scale = std::pow(10.0, static_cast<double>(precision));
    if (method == "ceil")
        return std::ceil(*value * scale) / scale;
    if (method == "floor")
        return std::floor(*value * scale) / scale;
    if (method != "common")
        fault("method must be common, ceil or floor");
    if (const auto whole = input.integer()) // stays one
        return precision >= 0 ? Value(*whole)
                              : Value(static_cast<std::int64_t>(std::nearbyint(*value * scale) / scale));
    if (precision >= 0) // by way of decimal digits, as Python rounds
        return *parseDouble(percentFormat("%." + std::to_string(precision) + "f", *value));
    return std::nearbyint(*value * scale) / scale;
}

Value absolute(const Value& input, const Arguments&) {
    if (const auto whole = input.integer())
        return *whole < 0 ? arithmetic("-", std::int64_t{0}, *whole) : Value(*whole);
    if (const auto real = input.number())
        return std::abs(*real);
    fault("bad operand type for abs(): '" + std::string(input.typeName()) + "'");
}

Value attribute(const Value& input, const Arguments& arguments) {
    return attributeOf(input, str(argumentOr(arguments, 0, "name", {})));
}

} // namespace

const FilterTable& valueFilters() {
    constexpr Filter itself = [](const Value& input, const Arguments&) { return input; };
    constexpr Filter asText = [](const Value& input, const Arguments&) { return textOf(str(input), input); };
    static const FilterTable filters{
        {"default", defaultValue}, {"d", defaultValue}, {"tojson", toJsonText}, {"int", toInteger},
        {"float", toFloat},        {"round", rounded},  {"abs", absolute},      {"attr", attribute},
        {"safe", itself},          {"string", asText},
    };
    return filters;
}

Value textOf(std::string text, const Value& input) { return Value(std::move(text), input.message); }

Value argumentOr(const Arguments& arguments, std::size_t index, std::string_view name, Value fallback) {
    const auto* found = arguments.find(index, name);
    return found ? *found : fallback;
}

Value attributePath(const Value& item, const Value& path) {
    if (path.integer())
        return subscript(item, path);
    auto value = item;
    const auto text = str(path);
    for (const auto part : split(text, '.')) {
        const auto number = parseInteger(part);
        value = subscript(value, number ? Value(*number) : Value(std::string(part)));
    }
    return value;
}

bool isFilter(std::string_view name) {
    return textFilters().contains(name) || listFilters().contains(name) || valueFilters().contains(name);
}

Value applyFilter(const std::string& name, const Value& input, const Arguments& arguments) {
    for (const auto* table : {&textFilters(), &listFilters(), &valueFilters()})
        if (const auto found = table->find(name); found != table->end())
            return found->second(input, arguments);
    fault("No filter named '" + name + "'.");
}

} // namespace anneal::jinja
