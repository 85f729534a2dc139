#include "core/data/jinja_filters.h"

#include "core/data/jinja_text.h"

#include <algorithm>

namespace anneal::jinja {

namespace {

/// Strings compare without case where a filter says so.
Value foldedKey(const Value& value, bool caseSensitive) {
    return caseSensitive || !value.isString() ? value : Value(cased(value.text(), Case::Lower));
}

Value length(const Value& input, const Arguments&) { return lengthOf(input); }
Value asList(const Value& input, const Arguments&) { return iterate(input); }

Value first(const Value& input, const Arguments&) {
    auto items = iterate(input);
    return items.empty() ? Value::undefined("No first item, sequence was empty.") : items.front();
}
Value last(const Value& input, const Arguments&) {
    auto items = iterate(input);
    return items.empty() ? Value::undefined("No last item, sequence was empty.") : items.back();
}

Value reversed(const Value& input, const Arguments&) {
    auto items = iterate(input);
    std::ranges::reverse(items);
    if (!input.isString())
        return items;
    std::string out;
    for (const auto& character : items)
        out += character.text();
    return textOf(std::move(out), input);
}

Value joined(const Value& input, const Arguments& arguments) {
    const auto separator = str(argumentOr(arguments, 0, "d", std::string{}));
    const auto path = argumentOr(arguments, 1, "attribute", {});
    std::string out;
    int message = -1;
    bool started = false;
    for (const auto& item : iterate(input)) {
        const auto value = path.isNone() ? item : attributePath(item, path);
        out += (std::exchange(started, true) ? separator : std::string()) + str(value);
        message = message >= 0 ? message : value.message;
    }
    return Value(std::move(out), message);
}

Value items(const Value& input, const Arguments&) {
    if (input.isUndefined())
        return List{};
    if (!input.dict())
        fault("Can only get item pairs from a mapping.");
    return (*methodOf(input, "items").function())({});
}

Value dictSorted(const Value& input, const Arguments& arguments) {
    const bool sensitive = argumentOr(arguments, 0, "case_sensitive", false).truth();
    const bool byValue = str(argumentOr(arguments, 1, "by", "key")) == "value";
    auto pairs = iterate(items(input, {}));
    const auto key = [&](const Value& pair) { return foldedKey((*pair.list())[byValue ? 1 : 0], sensitive); };
    std::ranges::stable_sort(pairs, [&](const Value& a, const Value& b) { return less(key(a), key(b)); });
    if (argumentOr(arguments, 2, "reverse", false).truth())
        std::ranges::reverse(pairs);
    return pairs;
}

/// Sorts by one attribute or by several, "a,b".
Value sorted(const Value& input, const Arguments& arguments) {
    const bool reverse = argumentOr(arguments, 0, "reverse", false).truth();
    const bool sensitive = argumentOr(arguments, 1, "case_sensitive", false).truth();
    const auto path = argumentOr(arguments, 2, "attribute", {});
    std::vector<std::pair<List, Value>> keyed;
    for (auto& item : iterate(input)) {
        List keys;
        if (path.isString()) {
            const std::string separator = ",";
            for (const auto& part : splitText(path.text(), &separator, -1, false))
                keys.push_back(foldedKey(attributePath(item, part), sensitive));
        } else {
            keys.push_back(foldedKey(path.isNone() ? item : attributePath(item, path), sensitive));
        }
        keyed.emplace_back(std::move(keys), std::move(item));
    }
    std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
        const auto &low = reverse ? b.first : a.first, &high = reverse ? a.first : b.first;
        return std::lexicographical_compare(low.begin(), low.end(), high.begin(), high.end(), less);
    });
    List out;
    for (auto& [keys, item] : keyed)
        out.push_back(std::move(item));
    return out;
}

Value extreme(const Value& input, const Arguments& arguments, bool largest) {
    const bool sensitive = argumentOr(arguments, 0, "case_sensitive", false).truth();
    const auto path = argumentOr(arguments, 1, "attribute", {});
    const auto all = iterate(input);
    if (all.empty())
        return Value::undefined("No aggregated item, sequence was empty.");
    const auto key = [&](const Value& item) {
        return foldedKey(path.isNone() ? item : attributePath(item, path), sensitive);
    };
    const auto lower = [&](const Value& a, const Value& b) { return less(key(a), key(b)); };
    // Of equal ones the first, as Python's max() and min() do.
    const auto found = largest ? std::ranges::max_element(all, lower) : std::ranges::min_element(all, lower);
    return *found;
}

Value sum(const Value& input, const Arguments& arguments) {
    const auto path = argumentOr(arguments, 0, "attribute", {});
    auto total = argumentOr(arguments, 1, "start", std::int64_t{0});
    for (const auto& item : iterate(input))
        total = arithmetic("+", total, path.isNone() ? item : attributePath(item, path));
    return total;
}

Value unique(const Value& input, const Arguments& arguments) {
    const bool sensitive = argumentOr(arguments, 0, "case_sensitive", false).truth();
    const auto path = argumentOr(arguments, 1, "attribute", {});
    List out, keys;
    for (auto& item : iterate(input)) {
        auto key = foldedKey(path.isNone() ? item : attributePath(item, path), sensitive);
        if (std::ranges::any_of(keys, [&](const Value& known) { return equal(known, key); }))
            continue;
        keys.push_back(std::move(key));
        out.push_back(std::move(item));
    }
    return Value::generator(std::move(out));
}

Arguments behind(const Arguments& arguments, std::size_t count) {
    Arguments rest;
    for (auto i = count; i < arguments.positional.size(); ++i)
        rest.positional.push_back(arguments.positional[i]);
    rest.named = arguments.named;
    return rest;
}

/// map('filter', ...) or map(attribute='a', default=...).
Value mapped(const Value& input, const Arguments& arguments) {
    List out;
    if (!input.truth()) // None too
        return Value::generator({});
    const auto* path = arguments.positional.empty() ? arguments.find(0, "attribute") : nullptr;
    if (arguments.positional.empty() && !path)
        fault("map requires a filter argument");
    const auto* fallback = path ? arguments.find(1, "default") : nullptr;
    const auto rest = behind(arguments, 1);
    for (const auto& item : iterate(input)) {
        if (!path) {
            out.push_back(applyFilter(str(arguments.positional[0]), item, rest));
            continue;
        }
        auto value = attributePath(item, *path);
        out.push_back(value.isUndefined() && fallback ? *fallback : std::move(value));
    }
    return Value::generator(std::move(out));
}

/// select, reject, selectattr, rejectattr: a test, or truth where none is given.
Value chosen(const Value& input, const Arguments& arguments, bool wanted, bool byAttribute) {
    if (byAttribute && arguments.positional.empty())
        fault("Missing parameter for attribute name");
    const std::size_t testAt = byAttribute ? 1 : 0;
    if (!input.truth()) // None too
        return Value::generator({});
    const bool hasTest = arguments.positional.size() > testAt;
    const auto rest = behind(arguments, testAt + 1);
    List out;
    for (const auto& item : iterate(input)) {
        const auto value = byAttribute ? attributePath(item, arguments.positional[0]) : item;
        const bool holds =
            hasTest ? applyTest(str(arguments.positional[testAt]), value, rest) : value.truth();
        if (holds == wanted)
            out.push_back(item);
    }
    return Value::generator(std::move(out));
}

Value batched(const Value& input, const Arguments& arguments) {
    const auto size = integerArgument(argumentOr(arguments, 0, "linecount", std::int64_t{1}), "batch");
    const auto* fill = arguments.find(1, "fill_with");
    List out, row;
    for (auto& item : iterate(input)) {
        row.push_back(std::move(item));
        if (static_cast<std::int64_t>(row.size()) >= size)
            out.emplace_back(std::exchange(row, {}));
    }
    while (!row.empty() && fill && !fill->isNone() &&
           static_cast<std::int64_t>(row.size()) < std::min<std::int64_t>(size, 1 << 16))
        row.push_back(*fill);
    if (!row.empty())
        out.emplace_back(std::move(row));
    return Value::generator(std::move(out));
}

Value grouped(const Value& input, const Arguments& arguments) {
    const auto path = argumentOr(arguments, 0, "attribute", {});
    Arguments order;
    order.named.emplace_back("attribute", path);
    List out, keys, members;
    const auto flush = [&] {
        if (!members.empty())
            out.emplace_back(List{keys.back(), Value(std::exchange(members, {}))}, true);
    };
    for (auto& item : iterate(sorted(input, order))) {
        auto key = attributePath(item, path);
        if (keys.empty() || !equal(keys.back(), key)) {
            flush();
            keys.push_back(std::move(key));
        }
        members.push_back(std::move(item));
    }
    flush();
    return out;
}

} // namespace

const FilterTable& listFilters() {
    using V = const Value&;
    using A = const Arguments&;
    static const FilterTable filters{
        {"length", length},
        {"count", length},
        {"list", asList},
        {"first", first},
        {"last", last},
        {"reverse", reversed},
        {"join", joined},
        {"items", items},
        {"dictsort", dictSorted},
        {"sort", sorted},
        {"max", [](V v, A a) { return extreme(v, a, true); }},
        {"min", [](V v, A a) { return extreme(v, a, false); }},
        {"sum", sum},
        {"unique", unique},
        {"map", mapped},
        {"select", [](V v, A a) { return chosen(v, a, true, false); }},
        {"reject", [](V v, A a) { return chosen(v, a, false, false); }},
        {"selectattr", [](V v, A a) { return chosen(v, a, true, true); }},
        {"rejectattr", [](V v, A a) { return chosen(v, a, false, true); }},
        {"batch", batched},
        {"groupby", grouped},
    };
    return filters;
}

} // namespace anneal::jinja
