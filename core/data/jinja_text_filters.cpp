#include "core/data/jinja_filters.h"

#include "core/data/jinja_text.h"
#include "core/data/tokenizer_text.h"

#include <algorithm>

namespace anneal::jinja {

namespace {

Value trimmed(const Value& input, const Arguments& arguments) {
    const auto text = str(input);
    const auto characters = argumentOr(arguments, 0, "chars", {});
    const auto set = str(characters);
    return textOf(std::string(stripped(text, Side::Both, characters.isNone() ? nullptr : &set)), input);
}

/// Each word's first letter large, the others small; words begin behind white space and ( { [ < -.
Value titled(const Value& input, const Arguments&) {
    const auto text = str(input);
    std::string out, word;
    const auto flush = [&] {
        if (word.empty())
            return;
        const auto first = characterLength(word, 0);
        out += cased(word.substr(0, first), Case::Upper) + cased(word.substr(first), Case::Lower);
        word.clear();
    };
    for (std::size_t at = 0; at < text.size(); at += characterLength(text, at)) {
        const auto character = characterAt(text, at);
        const auto bytes = text.substr(at, characterLength(text, at));
        if (isPythonSpace(character) ||
            (character < 0x80 && std::string_view("-({[<").find(bytes[0]) != std::string_view::npos)) {
            flush();
            out += bytes;
        } else {
            word += bytes;
        }
    }
    flush();
    return textOf(std::move(out), input);
}

template <Case how>
Value recased(const Value& input, const Arguments&) {
    return textOf(cased(str(input), how), input);
}

Value replacedIn(const Value& input, const Arguments& arguments) {
    const auto count = argumentOr(arguments, 2, "count", {});
    return textOf(replaced(str(input), str(argumentOr(arguments, 0, "old", std::string{})),
                           str(argumentOr(arguments, 1, "new", std::string{})),
                           count.isNone() ? -1 : integerArgument(count, "replace")),
                  input);
}

Value escaped(const Value& input, const Arguments&) {
    std::string out;
    for (const char c : str(input))
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&#34;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
        }
    return textOf(std::move(out), input);
}

Value indented(const Value& input, const Arguments& arguments) {
    const auto width = argumentOr(arguments, 0, "width", std::int64_t{4});
    const bool first = argumentOr(arguments, 1, "first", false).truth(),
               blank = argumentOr(arguments, 2, "blank", false).truth();
    const auto indent = width.isString() ? width.text()
                                         : std::string(static_cast<std::size_t>(std::clamp<std::int64_t>(
                                                           integerArgument(width, "indent"), 0, 1024)),
                                                       ' ');
    // Jinja adds a line end first, so that a final empty line counts.
    const auto lines = splitLines(str(input) + "\n", false);
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool here = i == 0 ? first : blank || !lines[i].empty();
        out += (i > 0 ? "\n" : "") + (here ? indent : std::string()) + lines[i];
    }
    return textOf(std::move(out), input);
}

Value wordCount(const Value& input, const Arguments&) {
    std::int64_t words = 0;
    bool inside = false;
    const auto text = str(input);
    for (std::size_t at = 0; at < text.size(); at += characterLength(text, at)) {
        const auto bytes = std::string_view(text).substr(at, characterLength(text, at));
        const bool word = bytes == "_" || isAll(bytes, TextKind::Alnum);
        words += word && !inside;
        inside = word;
    }
    return words;
}

Value centered(const Value& input, const Arguments& arguments) {
    Arguments width;
    width.positional.push_back(argumentOr(arguments, 0, "width", std::int64_t{80}));
    return (*methodOf(textOf(str(input), input), "center").function())(width);
}

Value formattedBy(const Value& input, const Arguments& arguments) {
    if (arguments.named.empty())
        return textOf(percentFormat(str(input), Value(arguments.positional, true)), input);
    Dict named;
    for (const auto& [name, value] : arguments.named)
        named.set(name, value);
    return textOf(percentFormat(str(input), Value(std::move(named))), input);
}

Value truncated(const Value& input, const Arguments& arguments) {
    const auto length = integerArgument(argumentOr(arguments, 0, "length", std::int64_t{255}), "truncate");
    const bool killWords = argumentOr(arguments, 1, "killwords", false).truth();
    const auto end = str(argumentOr(arguments, 2, "end", "..."));
    const auto leeway = integerArgument(argumentOr(arguments, 3, "leeway", std::int64_t{5}), "truncate");
    const auto text = str(input);
    if (static_cast<std::int64_t>(characterCount(text)) <= length + leeway)
        return textOf(text, input);
    const auto room = std::max<std::int64_t>(0, length - static_cast<std::int64_t>(characterCount(end)));
    auto kept = text.substr(0, byteOffset(text, static_cast<std::size_t>(room)));
    if (const auto space = kept.rfind(' '); !killWords && space != std::string::npos)
        kept.resize(space);
    return textOf(kept + end, input);
}

Value urlEncoded(const Value& input, const Arguments&) {
    constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : str(input)) {
        const auto byte = static_cast<std::uint8_t>(c);
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           std::string_view("_.-~/").find(c) != std::string_view::npos;
        if (plain)
            out += c;
        else
            out.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return textOf(std::move(out), input);
}

} // namespace

const FilterTable& textFilters() {
    static const FilterTable filters{
        {"trim", trimmed},
        {"title", titled},
        {"upper", recased<Case::Upper>},
        {"lower", recased<Case::Lower>},
        {"capitalize", recased<Case::Capitalize>},
        {"replace", replacedIn},
        {"escape", escaped},
        {"e", escaped},
        {"forceescape", escaped},
        {"indent", indented},
        {"wordcount", wordCount},
        {"center", centered},
        {"format", formattedBy},
        {"truncate", truncated},
        {"urlencode", urlEncoded},
    };
    return filters;
}

} // namespace anneal::jinja
