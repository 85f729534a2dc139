#include "core/data/jinja_evaluator.h"
#include "core/data/jinja_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace anneal::jinja {

namespace {

using Filter = Value (*)(const Value& input, const Arguments& arguments);

const std::string& needText(const Value& value, std::string_view filter) {
    if (!value.isString())
        fault("filter '" + std::string(filter) + "' needs a string, not " + value.typeName());
    return value.text();
}

/// What filters for text take: everything as its str().
Value textual(const Value& input, std::string text) { return Value(std::move(text), input.message); }

Value cutTo(const Value& input, Side side, const Arguments& arguments) {
    const auto* characters = arguments.find(0, "chars");
    const auto text = str(input);
    if (!characters || characters->isNone())
        return textual(input, std::string(stripped(text, side)));
    return textual(input, std::string(stripped(text, side, &needText(*characters, "trim"))));
}

/// "a.b" of an item, as map(attribute=...) and its kin read it; whole numbers are positions.
Value attributePath(Value value, const Value& path) {
    if (path.integer() && !path.isString())
        return subscript(value, path);
    for (const auto part : split(needText(path, "attribute"), '.')) {
        const auto index = parseInteger(part);
        value = index ? subscript(value, Value(*index)) : subscript(value, Value(std::string(part)));
    }
    return value;
}

Value toJsonFilter(const Value& input, const Arguments& arguments) {
    JsonStyle style;
    if (const auto* ascii = arguments.find(0, "ensure_ascii"))
        style.ensureAscii = ascii->truth();
    if (const auto* indent = arguments.find(1, "indent"); indent && !indent->isNone()) {
        style.indent = indent->isString() ? indent->text()
                                          : std::string(static_cast<std::size_t>(std::max<std::int64_t>(
                                                            0, integerArgument(*indent, "tojson"))), ' ');
        style.itemSeparator = ",";
    }
    if (const auto* separators = arguments.find(2, "separators"); separators && separators->list() && separators->list()->size() == 2) {
        style.itemSeparator = str((*separators->list())[0]);
        style.keySeparator = str((*separators->list())[1]);
    }
    if (const auto* sorted = arguments.find(3, "sort_keys"))
        style.sortKeys = sorted->truth();
    return textual(input, toJson(input, style));
}

Value defaultFilter(const Value& input, const Arguments& arguments) {
    const auto* fallback = arguments.find(0, "default_value");
    const auto* falsyToo = arguments.find(1, "boolean");
    const bool missing = input.isUndefined() || (falsyToo && falsyToo->truth() && !input.truth());
    if (!missing)
        return input;
    return fallback ? *fallback : Value("");
}

Value joinFilter(const Value& input, const Arguments& arguments) {
    const auto* separator = arguments.find(0, "d");
    const auto* attribute = arguments.find(1, "attribute");
    std::string text;
    int message = input.message;
    bool first = true;
    for (const auto& item : iterate(input)) {
        if (!first && separator)
            text += str(*separator);
        first = false;
        const auto value = attribute ? attributePath(item, *attribute) : item;
        text += str(value);
        if (message < 0)
            message = value.message;
    }
    return Value(std::move(text), message);
}

Value itemsFilter(const Value& input, const Arguments&) {
    if (input.isUndefined())
        return Value(List{});
    if (!input.dict())
        fault("Can only get item pairs from a mapping.");
    List pairs;
    for (const auto& [key, value] : input.dict()->items())
        pairs.push_back(Value(List{key, value}, true));
    return Value(std::move(pairs));
}

/// The test of select and its kin: truth, or the named one.
bool passes(const Value& value, const Arguments& arguments, std::size_t nameAt) {
    if (arguments.positional.size() <= nameAt)
        return value.truth();
    Arguments rest;
    rest.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(nameAt) + 1, arguments.positional.end());
    rest.named = arguments.named;
    return applyTest(needText(arguments.positional[nameAt], "select"), value, rest);
}

template <bool wanted>
Value selectFilter(const Value& input, const Arguments& arguments) {
    List kept;
    for (auto& item : iterate(input))
        if (passes(item, arguments, 0) == wanted)
            kept.push_back(std::move(item));
    return Value(std::move(kept));
}

template <bool wanted>
Value selectAttributeFilter(const Value& input, const Arguments& arguments) {
    if (arguments.positional.empty())
        fault("selectattr needs the name of an attribute");
    List kept;
    for (auto& item : iterate(input))
        if (passes(attributePath(item, arguments.positional[0]), arguments, 1) == wanted)
            kept.push_back(std::move(item));
    return Value(std::move(kept));
}

Value mapFilter(const Value& input, const Arguments& arguments) {
    List mapped;
    const auto* attribute = arguments.positional.empty() ? arguments.find(0, "attribute") : nullptr;
    if (!attribute && arguments.positional.empty())
        fault("map requires a filter argument");
    const auto* fallback = attribute ? arguments.find(1, "default") : nullptr;
    Arguments rest;
    if (!attribute) {
        rest.positional.assign(arguments.positional.begin() + 1, arguments.positional.end());
        rest.named = arguments.named;
    }
    for (const auto& item : iterate(input)) {
        if (!attribute) {
            mapped.push_back(applyFilter(needText(arguments.positional[0], "map"), item, rest));
            continue;
        }
        auto value = attributePath(item, *attribute);
        mapped.push_back(value.isUndefined() && fallback ? *fallback : std::move(value));
    }
    return Value(std::move(mapped));
}

Value listFilter(const Value& input, const Arguments&) { return Value(iterate(input)); }

Value edgeItem(const Value& input, bool first) {
    auto items = iterate(input);
    if (items.empty())
        return Value::undefined("the sequence is empty");
    return first ? items.front() : items.back();
}

Value replaceFilter(const Value& input, const Arguments& arguments) {
    const auto *from = arguments.find(0, "old"), *to = arguments.find(1, "new"), *most = arguments.find(2, "count");
    if (!from || !to)
        fault("filter 'replace' needs two strings");
    return textual(input, replaced(str(input), str(*from), str(*to),
                                   most && !most->isNone() ? integerArgument(*most, "replace") : -1));
}

Value intFilter(const Value& input, const Arguments& arguments) {
    const auto* fallback = arguments.find(0, "default");
    if (const auto whole = input.integer())
        return Value(*whole);
    if (const auto number = input.number(); number && std::isfinite(*number))
        return Value(static_cast<std::int64_t>(*number));
    if (input.isString()) {
        const auto text = stripped(input.text(), Side::Both);
        if (const auto whole = parseInteger(text))
            return Value(*whole);
        if (const auto number = parseDouble(text); number && std::isfinite(*number))
            return Value(static_cast<std::int64_t>(*number));
    }
    return fallback ? *fallback : Value(std::int64_t{0});
}

Value floatFilter(const Value& input, const Arguments& arguments) {
    const auto* fallback = arguments.find(0, "default");
    if (const auto number = input.number())
        return Value(*number);
    if (input.isString())
        if (const auto number = parseDouble(stripped(input.text(), Side::Both)))
            return Value(*number);
    return fallback ? *fallback : Value(0.0);
}

Value sortFilter(const Value& input, const Arguments& arguments) {
    const auto *reverse = arguments.find(0, "reverse"), *caseSensitive = arguments.find(1, "case_sensitive"),
               *attribute = arguments.find(2, "attribute");
    const bool exact = caseSensitive && caseSensitive->truth();
    const auto keyOf = [&](const Value& item) {
        const auto value = attribute && !attribute->isNone() ? attributePath(item, *attribute) : item;
        return value.isString() && !exact ? Value(cased(value.text(), Case::Lower)) : value;
    };
    auto items = iterate(input);
    const bool down = reverse && reverse->truth();
    std::ranges::stable_sort(items, [&](const Value& a, const Value& b) {
        return down ? less(keyOf(b), keyOf(a)) : less(keyOf(a), keyOf(b));
    });
    return Value(std::move(items));
}

Value dictSortFilter(const Value& input, const Arguments& arguments) {
    const auto* by = arguments.find(1, "by");
    const Value position(std::int64_t{by && str(*by) == "value" ? 1 : 0});
    Arguments sorting;
    sorting.named.emplace_back("attribute", position);
    if (const auto* reverse = arguments.find(2, "reverse"))
        sorting.named.emplace_back("reverse", *reverse);
    return sortFilter(itemsFilter(input, {}), sorting);
}

Value uniqueFilter(const Value& input, const Arguments&) {
    List kept;
    for (auto& item : iterate(input))
        if (std::ranges::none_of(kept, [&](const Value& known) { return equal(known, item); }))
            kept.push_back(std::move(item));
    return Value(std::move(kept));
}

Value reverseFilter(const Value& input, const Arguments&) {
    auto items = iterate(input);
    std::ranges::reverse(items);
    if (!input.isString())
        return Value(std::move(items));
    std::string text;
    for (const auto& character : items)
        text += character.text();
    return textual(input, std::move(text));
}

Value indentFilter(const Value& input, const Arguments& arguments) {
    const auto *width = arguments.find(0, "width"), *first = arguments.find(1, "first"), *blank = arguments.find(2, "blank");
    const std::string space = !width            ? std::string(4, ' ')
                              : width->isString() ? width->text()
                                                  : std::string(static_cast<std::size_t>(std::max<std::int64_t>(
                                                                    0, integerArgument(*width, "indent"))), ' ');
    std::string text;
    bool atFirst = true;
    for (const auto& line : splitLines(str(input), true)) {
        const bool empty = stripped(line, Side::Both).empty();
        if (atFirst ? first && first->truth() : !empty || (blank && blank->truth()))
            text += space;
        atFirst = false;
        text += line;
    }
    return textual(input, std::move(text));
}

Value absFilter(const Value& input, const Arguments&) {
    if (const auto whole = input.integer())
        return Value(*whole < 0 ? -*whole : *whole);
    if (const auto number = input.number())
        return Value(std::abs(*number));
    fault("filter 'abs' needs a number");
}

Value roundFilter(const Value& input, const Arguments& arguments) {
    const auto* precision = arguments.find(0, "precision");
    const auto number = input.number();
    if (!number)
        fault("filter 'round' needs a number");
    const double scale = std::pow(10.0, precision ? static_cast<double>(integerArgument(*precision, "round")) : 0.0);
    return Value(std::nearbyint(*number * scale) / scale);
}

template <Case how>
Value caseFilter(const Value& input, const Arguments&) {
    return textual(input, cased(str(input), how));
}

const std::map<std::string, Filter, std::less<>>& filters() {
    static const auto trimFilter = [](const Value& v, const Arguments& a) { return cutTo(v, Side::Both, a); };
    static const auto lengthFilter = [](const Value& v, const Arguments&) { return Value(lengthOf(v)); };
    static const auto stringFilter = [](const Value& v, const Arguments&) { return textual(v, str(v)); };
    static const auto same = [](const Value& v, const Arguments&) { return v; };
    static const std::map<std::string, Filter, std::less<>> table = {
        {"trim", trimFilter},
        {"length", lengthFilter},
        {"count", lengthFilter},
        {"string", stringFilter},
        {"safe", same},
        {"tojson", toJsonFilter},
        {"default", defaultFilter},
        {"d", defaultFilter},
        {"join", joinFilter},
        {"items", itemsFilter},
        {"list", listFilter},
        {"select", selectFilter<true>},
        {"reject", selectFilter<false>},
        {"selectattr", selectAttributeFilter<true>},
        {"rejectattr", selectAttributeFilter<false>},
        {"map", mapFilter},
        {"first", [](const Value& v, const Arguments&) { return edgeItem(v, true); }},
        {"last", [](const Value& v, const Arguments&) { return edgeItem(v, false); }},
        {"replace", replaceFilter},
        {"int", intFilter},
        {"float", floatFilter},
        {"sort", sortFilter},
        {"dictsort", dictSortFilter},
        {"unique", uniqueFilter},
        {"reverse", reverseFilter},
        {"indent", indentFilter},
        {"abs", absFilter},
        {"round", roundFilter},
        {"upper", caseFilter<Case::Upper>},
        {"lower", caseFilter<Case::Lower>},
        {"title", caseFilter<Case::Title>},
        {"capitalize", caseFilter<Case::Capitalize>},
    };
    return table;
}

} // namespace

Value applyFilter(const std::string& name, const Value& input, const Arguments& arguments) {
    const auto found = filters().find(name);
    if (found == filters().end())
        fault("No filter named '" + name + "'.");
    return found->second(input, arguments);
}

} // namespace anneal::jinja
