#include "core/data/jinja_evaluator.h"
#include "core/data/jinja_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace anneal::jinja {

namespace {

constexpr std::int64_t widest = 1 << 16;

/// "[[fill]align][sign][#][0][width][,][.precision][type]" of format(), and what % has of it.
struct FormatSpec {
    std::string fill = " ";
    char align = '\0', sign = '-', type = '\0';
    bool grouped = false;
    std::int64_t width = 0, precision = -1;
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::int64_t readNumber(std::string_view text, std::size_t& at) {
    std::int64_t value = 0;
    while (at < text.size() && isDigit(text[at]))
        value = std::min(widest, value * 10 + (text[at++] - '0'));
    return value;
}

FormatSpec parseSpec(std::string_view text) {
    constexpr std::string_view aligns = "<>^=";
    FormatSpec spec;
    std::size_t at = 0;
    const auto first = text.empty() ? 0 : byteOffset(text, 1);
    if (first < text.size() && aligns.find(text[first]) != std::string_view::npos) {
        spec.fill = text.substr(0, first);
        spec.align = text[first];
        at = first + 1;
    } else if (!text.empty() && aligns.find(text[0]) != std::string_view::npos) {
        spec.align = text[at++];
    }
    if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' '))
        spec.sign = text[at++];
    if (at < text.size() && text[at] == '0') {
        if (spec.align == '\0')
            spec.align = '=', spec.fill = "0";
        ++at;
    }
    spec.width = readNumber(text, at);
    if (at < text.size() && text[at] == ',')
        spec.grouped = true, ++at;
    if (at < text.size() && text[at] == '.')
        spec.precision = readNumber(text, ++at);
    if (at < text.size())
        spec.type = text[at++];
    if (at != text.size())
        fault("Invalid format specifier");
    return spec;
}

std::string grouped(std::string digits) {
    const auto end = std::min(digits.find('.'), digits.size());
    for (auto at = static_cast<std::ptrdiff_t>(end) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string realDigits(double magnitude, const FormatSpec& spec) {
    char buffer[512];
    const char type = spec.type == '%' ? 'f' : spec.type;
    const auto style = type == 'e' || type == 'E'   ? std::chars_format::scientific
                       : type == 'f' || type == 'F' ? std::chars_format::fixed
                                                    : std::chars_format::general;
    const int precision =
        static_cast<int>(std::min<std::int64_t>(spec.precision < 0 ? 6 : spec.precision, 100));
    const auto end = std::to_chars(buffer, buffer + sizeof buffer,
                                   spec.type == '%' ? magnitude * 100 : magnitude, style, precision);
    return std::string(buffer, end.ptr) + (spec.type == '%' ? "%" : "");
}

std::string integerDigits(std::uint64_t magnitude, char type) {
    char buffer[80];
    const int base = type == 'x' || type == 'X' ? 16 : type == 'o' ? 8 : type == 'b' ? 2 : 10;
    std::string digits(buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr);
    if (type == 'X')
        std::ranges::transform(digits, digits.begin(),
                               [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
    return digits;
}

std::string padded(const std::string& sign, std::string body, const FormatSpec& spec, char defaultAlign) {
    const auto size = static_cast<std::int64_t>(characterCount(sign) + characterCount(body));
    const auto lacking = std::max<std::int64_t>(0, spec.width - size);
    const char align = spec.align == '\0' ? defaultAlign : spec.align;
    const auto left = align == '<' ? 0 : align == '^' ? lacking / 2 : lacking;
    std::string before, behind;
    for (std::int64_t i = 0; i < lacking; ++i)
        (i < left ? before : behind) += spec.fill;
    return align == '=' ? sign + before + body : before + sign + body + behind;
}

std::string signOf(bool negative, const FormatSpec& spec) {
    return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string formattedNumber(const Value& value, const FormatSpec& spec) {
    const bool realType =
        spec.type != '\0' && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos;
    if (const auto whole = value.integer(); whole && !realType) {
        const auto magnitude =
            *whole < 0 ? 0 - static_cast<std::uint64_t>(*whole) : static_cast<std::uint64_t>(*whole);
        const auto digits = integerDigits(magnitude, spec.type);
        return padded(signOf(*whole < 0, spec), spec.grouped ? grouped(digits) : digits, spec, '>');
    }
    const auto real = *value.number();
    if (spec.type != '\0' && !realType)
        fault("Unknown format code '" + std::string(1, spec.type) + "' for object of type 'float'");
    const auto digits = spec.type == '\0' && spec.precision < 0 ? floatText(std::abs(real))
                                                                : realDigits(std::abs(real), spec);
    return padded(signOf(std::signbit(real), spec), spec.grouped ? grouped(digits) : digits, spec, '>');
}

std::string formatted(const Value& value, std::string_view text) {
    if (text.empty())
        return str(value);
    const auto spec = parseSpec(text);
    if (value.number() && !value.as<bool>())
        return formattedNumber(value, spec);
    if (spec.type != '\0' && spec.type != 's')
        fault("Unknown format code '" + std::string(1, spec.type) + "' for object of type '" +
              value.typeName() + "'");
    auto body = str(value);
    if (spec.precision >= 0)
        body.resize(byteOffset(body, static_cast<std::size_t>(spec.precision)));
    return padded("", body, spec, '<');
}

/// Runs "{}" formats over arguments.
class BraceFormatter {
public:
    BraceFormatter(std::string_view format, const Arguments& arguments)
        : format_(format), arguments_(arguments) {}

    std::string run() {
        std::string out;
        while (at_ < format_.size()) {
            const char c = format_[at_++];
            const bool doubled = at_ < format_.size() && format_[at_] == c;
            if ((c == '{' || c == '}') && doubled)
                ++at_, out += c;
            else if (c == '}')
                fault("Single '}' encountered in format string");
            else if (c == '{')
                out += field();
            else
                out += c;
        }
        return out;
    }

private:
    std::string field() {
        const auto end = format_.find('}', at_);
        if (end == std::string_view::npos)
            fault("Single '{' encountered in format string");
        const auto text = format_.substr(at_, end - at_);
        at_ = end + 1;
        const auto colon = std::min(text.find(':'), text.size());
        const auto name = text.substr(0, std::min(colon, text.find('!')));
        auto value = valueOf(name);
        if (name.size() + 2 <= colon && text[name.size()] == '!')
            value = text[name.size() + 1] == 'r' ? repr(value) : str(value);
        return formatted(value, colon < text.size() ? text.substr(colon + 1) : std::string_view());
    }

    /// "name.attribute[0]": the first part is an argument, the others are read from it.
    Value valueOf(std::string_view name) {
        const auto end = std::min(name.find_first_of(".["), name.size());
        auto value = argument(name.substr(0, end));
        for (auto rest = name.substr(end); !rest.empty();) {
            const bool item = rest[0] == '[';
            const auto stop = std::min(rest.find_first_of(item ? "]" : ".[", 1), rest.size());
            const std::string key(rest.substr(1, stop - 1));
            const bool number = !key.empty() && std::ranges::all_of(key, isDigit) && key.size() < 10;
            value = !item ? attributeOf(value, key)
                          : subscript(value, number ? Value(std::int64_t{std::stoi(key)}) : Value(key));
            rest = rest.substr(std::min(rest.size(), stop + (item ? 1 : 0)));
        }
        return value;
    }

    Value argument(std::string_view name) {
        std::size_t index = next_;
        if (name.empty()) {
            ++next_;
        } else if (std::ranges::all_of(name, isDigit)) {
            std::size_t at = 0;
            index = static_cast<std::size_t>(readNumber(name, at));
            numbered_ = true;
        } else {
            const auto* found = arguments_.find(arguments_.positional.size(), name);
            if (!found)
                fault("'" + std::string(name) + "'");
            return *found;
        }
        if (numbered_ && next_ > 0)
            fault("cannot switch between manual field specification and automatic field numbering");
        if (index >= arguments_.positional.size())
            fault("Replacement index " + std::to_string(index) + " out of range for positional args tuple");
        return arguments_.positional[index];
    }

    std::string_view format_;
    const Arguments& arguments_;
    std::size_t at_ = 0, next_ = 0;
    bool numbered_ = false;
};

/// Runs "%s" formats.
class PercentFormatter {
public:
    PercentFormatter(std::string_view format, const Value& values) : format_(format), values_(values) {
        const auto* sequence = values.as<ListValue>();
        items_ = sequence && sequence->tuple ? *sequence->items : List{values};
    }

    std::string run() {
        std::string out;
        while (at_ < format_.size()) {
            const char c = format_[at_++];
            if (c != '%')
                out += c;
            else if (at_ < format_.size() && format_[at_] == '%')
                ++at_, out += c;
            else
                out += conversion();
        }
        if (next_ < items_.size() && !values_.dict())
            fault("not all arguments converted during string formatting");
        return out;
    }

private:
    std::string conversion() {
        const auto named = name();
        FormatSpec spec;
        for (; at_ < format_.size() && std::string_view("-+ 0#").find(format_[at_]) != std::string_view::npos;
             ++at_) {
            if (format_[at_] == '-')
                spec.align = '<';
            else if (format_[at_] == '0' && spec.align != '<')
                spec.align = '=', spec.fill = "0";
            else if (format_[at_] == '+' || format_[at_] == ' ')
                spec.sign = format_[at_];
        }
        spec.width = readNumber(format_, at_);
        if (at_ < format_.size() && format_[at_] == '.')
            spec.precision = readNumber(format_, ++at_);
        if (at_ >= format_.size())
            fault("incomplete format");
        return converted(named ? *named : next(), format_[at_++], spec);
    }

    std::string converted(const Value& value, char type, FormatSpec spec) {
        if (type == 's' || type == 'r') {
            auto body = type == 's' ? str(value) : repr(value);
            if (spec.precision >= 0)
                body.resize(byteOffset(body, static_cast<std::size_t>(spec.precision)));
            if (spec.align == '=')
                spec.align = '>', spec.fill = " ";
            return padded("", body, spec, '>');
        }
        if (!value.number())
            fault("%" + std::string(1, type) + " format: a real number is required, not " + value.typeName());
        if (type == 'd' || type == 'i' || type == 'u') {
            spec.precision = -1;
            const auto whole = value.integer();
            return formattedNumber(whole ? Value(*whole) : Value(truncated(*value.number())), spec);
        }
        if (std::string_view("eEfFgGxXo").find(type) == std::string_view::npos)
            fault("unsupported format character '" + std::string(1, type) + "'");
        spec.type = type;
        return formattedNumber(value, spec);
    }

    static std::int64_t truncated(double value) {
        if (!(std::abs(value) < 9e18))
            fault("a number is too large for %d");
        return static_cast<std::int64_t>(value);
    }

    std::optional<Value> name() {
        if (at_ >= format_.size() || format_[at_] != '(')
            return std::nullopt;
        const auto end = format_.find(')', at_);
        if (end == std::string_view::npos)
            fault("incomplete format key");
        const auto key = std::string(format_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        if (!values_.dict())
            fault("format requires a mapping");
        return subscript(values_, key);
    }
    Value next() {
        if (next_ >= items_.size())
            fault("not enough arguments for format string");
        return items_[next_++];
    }

    std::string_view format_;
    const Value& values_;
    List items_;
    std::size_t at_ = 0, next_ = 0;
};

} // namespace

std::string percentFormat(const std::string& format, const Value& values) {
    return PercentFormatter(format, values).run();
}

std::string braceFormat(const std::string& format, const Arguments& arguments) {
    return BraceFormatter(format, arguments).run();
}

} // namespace anneal::jinja
