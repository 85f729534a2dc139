#include "core/data/jinja_evaluator.h"
#include "core/data/jinja_text.h"

#include "core/base/text.h"

#include <charconv>

namespace anneal::jinja {

namespace {

/// Flags, width, precision and kind of a conversion such as "%-5.2f", or of "{:>5.2f}".
struct Spec {
    char align = 0, fill = ' ';
    bool plus = false;
    std::size_t width = 0;
    int precision = -1;
    char kind = 0;
};

constexpr std::size_t widest = 10'000;

std::size_t readNumber(std::string_view text, std::size_t& at) {
    std::size_t number = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && number <= widest)
        number = number * 10 + static_cast<std::size_t>(text[at++] - '0');
    if (number > widest)
        fault("a width or precision of a format is too large");
    return number;
}

std::string fixedPoint(double value, int precision) {
    char buffer[400];
    const auto done = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, std::min(precision, 60));
    return {buffer, done.ptr};
}

std::string padded(std::string text, const Spec& spec, char align) {
    const auto length = characterCount(text);
    if (length >= spec.width)
        return text;
    const auto missing = spec.width - length;
    const auto left = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    return std::string(left, spec.fill) + text + std::string(missing - left, spec.fill);
}

double needNumber(const Value& value) {
    const auto number = value.number();
    if (!number)
        fault(std::string("a real number is required, not ") + value.typeName());
    return *number;
}

std::string converted(const Value& value, const Spec& spec) {
    std::string text;
    const bool numeric = value.isNumber() && !value.isString();
    switch (spec.kind) {
    case 'd':
    case 'i': text = std::to_string(value.integer().value_or(static_cast<std::int64_t>(needNumber(value)))); break;
    case 'f':
    case 'F': text = fixedPoint(needNumber(value), spec.precision < 0 ? 6 : spec.precision); break;
    case 'r': text = repr(value); break;
    case 's':
    case 0: text = str(value); break;
    default: fault(std::string("unsupported format character '") + spec.kind + "'");
    }
    if ((spec.kind == 's' || spec.kind == 'r') && spec.precision >= 0)
        text = text.substr(0, byteOffset(text, static_cast<std::size_t>(spec.precision)));
    if (spec.plus && numeric && !text.starts_with('-'))
        text.insert(text.begin(), '+');
    const bool right = spec.kind == 'd' || spec.kind == 'i' || spec.kind == 'f' || spec.kind == 'F' || (spec.kind == 0 && numeric);
    return padded(std::move(text), spec, spec.align ? spec.align : right ? '>' : '<');
}

Spec percentSpec(const std::string& format, std::size_t& at) {
    Spec spec;
    spec.align = '>';
    for (; at < format.size() && std::string_view("-+0 ").find(format[at]) != std::string_view::npos; ++at) {
        if (format[at] == '-')
            spec.align = '<';
        else if (format[at] == '+')
            spec.plus = true;
        else if (format[at] == '0')
            spec.fill = '0';
    }
    spec.width = readNumber(format, at);
    if (at < format.size() && format[at] == '.')
        spec.precision = static_cast<int>(readNumber(format, ++at));
    if (at >= format.size())
        fault("incomplete format");
    spec.kind = format[at++];
    return spec;
}

Spec braceSpec(std::string_view text) {
    Spec spec;
    std::size_t at = 0;
    const auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^'; };
    if (text.size() > 1 && isAlign(text[1])) {
        spec.fill = text[0];
        spec.align = text[1];
        at = 2;
    } else if (!text.empty() && isAlign(text[0])) {
        spec.align = text[at++];
    }
    if (at < text.size() && text[at] == '+') {
        spec.plus = true;
        ++at;
    }
    if (at < text.size() && text[at] == '0') {
        spec.fill = '0';
        spec.align = '>';
        ++at;
    }
    spec.width = readNumber(text, at);
    if (at < text.size() && text[at] == '.')
        spec.precision = static_cast<int>(readNumber(text, ++at));
    if (at < text.size())
        spec.kind = text[at++];
    if (at != text.size())
        fault("Invalid format specifier '" + std::string(text) + "'");
    return spec;
}

/// The argument that "0", "name" or "name.field" means; an empty one is the next.
Value braceArgument(std::string_view name, const Arguments& arguments, std::size_t& next) {
    const auto dot = name.find('.');
    const auto head = name.substr(0, dot);
    const auto index = head.empty() ? std::optional<std::int64_t>(static_cast<std::int64_t>(next++)) : parseInteger(head);
    const Value* found = nullptr;
    if (index && *index >= 0 && static_cast<std::size_t>(*index) < arguments.positional.size())
        found = &arguments.positional[static_cast<std::size_t>(*index)];
    else if (!index)
        for (const auto& [known, value] : arguments.named)
            if (known == head)
                found = &value;
    if (!found)
        fault("Replacement '" + std::string(name) + "' has no argument");
    return dot == std::string_view::npos ? *found : attributeOf(*found, std::string(name.substr(dot + 1)));
}

} // namespace

std::string percentFormat(const std::string& format, const Value& values) {
    const bool many = values.as<ListValue>() && values.as<ListValue>()->tuple;
    const List single{values};
    const List& given = many ? *values.list() : single;
    std::size_t used = 0;
    std::string out;
    for (std::size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            out += format[at++];
            continue;
        }
        if (++at < format.size() && format[at] == '%') {
            out += '%';
            ++at;
            continue;
        }
        if (at < format.size() && format[at] == '(') {
            const auto close = format.find(')', at);
            if (close == std::string::npos)
                fault("incomplete format key");
            const auto value = subscript(values, Value(format.substr(at + 1, close - at - 1)));
            at = close + 1;
            out += converted(value, percentSpec(format, at));
            used = given.size();
            continue;
        }
        const auto spec = percentSpec(format, at);
        if (used >= given.size())
            fault("not enough arguments for format string");
        out += converted(given[used++], spec);
    }
    if (used < given.size() && !values.dict())
        fault("not all arguments converted during string formatting");
    return out;
}

std::string braceFormat(const std::string& format, const Arguments& arguments) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t at = 0; at < format.size(); ++at) {
        const char c = format[at];
        const bool doubled = (c == '{' || c == '}') && at + 1 < format.size() && format[at + 1] == c;
        if (doubled || (c != '{' && c != '}')) {
            out += c;
            at += doubled;
            continue;
        }
        const auto close = format.find('}', at);
        if (c == '}' || close == std::string::npos)
            fault("Single '" + std::string(1, c) + "' encountered in format string");
        const std::string_view inside = std::string_view(format).substr(at + 1, close - at - 1);
        const auto colon = inside.find(':');
        const auto value = braceArgument(inside.substr(0, colon), arguments, next);
        out += converted(value, braceSpec(colon == std::string_view::npos ? "" : inside.substr(colon + 1)));
        at = close;
    }
    return out;
}

} // namespace anneal::jinja
