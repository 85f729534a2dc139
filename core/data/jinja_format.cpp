#include "core/data/jinja_value.h"

#include "core/data/jinja_text.h"
#include "core/data/tokenizer_text.h"

#include <algorithm>
#include <cmath>

namespace anneal::jinja {

namespace {

constexpr std::size_t longestText = 64u << 20;

std::string joinedRepr(const List& items) {
    std::string out;
    for (const auto& item : items) {
        out += (out.empty() ? "" : ", ") + repr(item);
        if (out.size() > longestText)
            fault("a value is too large to print");
    }
    return out;
}

std::string dictRepr(const Dict& dict) {
    std::string out = "{";
    for (const auto& [key, value] : dict.items()) {
        out += (out.size() > 1 ? ", " : "") + repr(key) + ": " + repr(value);
        if (out.size() > longestText)
            fault("a value is too large to print");
    }
    return out + "}";
}

std::string namespaceRepr(const Namespace& space) { return "<Namespace " + dictRepr(space.fields) + ">"; }

void appendUnicodeEscape(std::string& out, char32_t character) {
    constexpr char digits[] = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out += digits[character >> shift & 15];
}

std::string jsonString(std::string_view text, bool ascii) {
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size(); at += characterLength(text, at)) {
        const auto c = characterAt(text, at);
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        default:
            if (c < 0x20 || (ascii && c >= 0x7F && c < 0x10000))
                appendUnicodeEscape(out, c);
            else if (ascii && c >= 0x10000) {
                appendUnicodeEscape(out, 0xD800 + ((c - 0x10000) >> 10));
                appendUnicodeEscape(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
            } else
                out += text.substr(at, characterLength(text, at));
        }
    }
    return out += '"';
}

std::string jsonFloat(double value) {
    return std::isnan(value)   ? "NaN"
           : std::isinf(value) ? (value > 0 ? "Infinity" : "-Infinity")
                               : floatText(value);
}

/// Writes one value and what it contains.
class JsonWriter {
public:
    explicit JsonWriter(const JsonStyle& style) : style_(style) {}

    void write(const Value& value) {
        if (value.isString())
            out += jsonString(value.text(), style_.ensureAscii);
        else if (value.isNone())
            out += "null";
        else if (const auto* flag = value.as<bool>())
            out += *flag ? "true" : "false";
        else if (const auto* real = value.as<double>())
            out += jsonFloat(*real);
        else if (value.integer())
            out += std::to_string(*value.integer());
        else if (const auto* items = value.list(); items && !value.as<ListValue>()->lazy)
            writeAll('[', ']', items->size(), [&](std::size_t i) { write((*items)[i]); });
        else if (const auto* dict = value.dict())
            writeDict(*dict);
        else
            fault("Object of type " + std::string(value.typeName()) + " is not JSON serializable");
        if (out.size() > longestText)
            fault("a value is too large to print");
    }

    std::string out;

private:
    template <class Each>
    void writeAll(char open, char close, std::size_t count, Each each) {
        out += open;
        ++depth_;
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0)
                out += style_.itemSeparator;
            newLine();
            each(i);
        }
        --depth_;
        if (count > 0)
            newLine();
        out += close;
    }
    void newLine() {
        if (!style_.indent)
            return;
        out += '\n';
        for (int i = 0; i < depth_; ++i)
            out += *style_.indent;
    }
    void writeDict(const Dict& dict) {
        auto items = dict.items();
        if (style_.sortKeys)
            std::ranges::stable_sort(items,
                                     [](const auto& a, const auto& b) { return less(a.first, b.first); });
        writeAll('{', '}', items.size(), [&](std::size_t i) {
            out += jsonString(keyText(items[i].first), style_.ensureAscii) + style_.keySeparator;
            write(items[i].second);
        });
    }
    static std::string keyText(const Value& key) {
        if (key.isString())
            return key.text();
        if (key.isNone())
            return "null";
        if (const auto* flag = key.as<bool>())
            return *flag ? "true" : "false";
        if (const auto* real = key.as<double>())
            return jsonFloat(*real);
        if (key.integer())
            return std::to_string(*key.integer());
        fault("keys must be str, int, float, bool or None, not " + std::string(key.typeName()));
    }

    const JsonStyle& style_;
    int depth_ = 0;
};

} // namespace

std::string str(const Value& value) {
    if (value.isString())
        return value.text();
    return value.isUndefined() ? std::string() : repr(value);
}

std::string repr(const Value& value) {
    if (value.isString())
        return jinja::quoted(value.text());
    if (value.isUndefined())
        return "Undefined";
    if (value.isNone())
        return "None";
    if (const auto* flag = value.as<bool>())
        return *flag ? "True" : "False";
    if (const auto* real = value.as<double>())
        return floatText(*real);
    if (const auto whole = value.integer())
        return std::to_string(*whole);
    if (const auto* sequence = value.as<ListValue>())
        return sequence->tuple
                   ? "(" + joinedRepr(*sequence->items) + (sequence->items->size() == 1 ? ",)" : ")")
                   : "[" + joinedRepr(*sequence->items) + "]";
    if (const auto* dict = value.dict())
        return dictRepr(*dict);
    if (const auto* space = value.space())
        return namespaceRepr(*space);
    return std::string("<") + value.typeName() + ">";
}

std::string toJson(const Value& value, const JsonStyle& style) {
    JsonWriter writer(style);
    writer.write(value);
    return std::move(writer.out);
}

} // namespace anneal::jinja
