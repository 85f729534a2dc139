#include "core/data/jinja_evaluator.h"
#include "core/data/jinja_text.h"
#include "core/data/tokenizer_text.h"

#include <algorithm>
#include <map>

namespace anneal::jinja {

namespace {

using Method = Value (*)(const Value& self, const Arguments& arguments);

const std::string& textArgument(const Arguments& arguments, std::size_t index, std::string_view function) {
    const auto* value = arguments.find(index, "");
    if (!value || !value->isString())
        fault(std::string(function) + "() needs a text as argument " + std::to_string(index + 1));
    return value->text();
}

/// A text that may be left out or None.
const std::string* optionalText(const Arguments& arguments, std::size_t index, std::string_view name) {
    const auto* value = arguments.find(index, name);
    if (!value || value->isNone())
        return nullptr;
    if (!value->isString())
        fault("'" + std::string(value->typeName()) + "' object is not a text");
    return &value->text();
}

std::int64_t optionalInteger(const Arguments& arguments, std::size_t index, std::string_view name,
                             std::int64_t fallback) {
    const auto* value = arguments.find(index, name);
    return value && !value->isNone() ? integerArgument(*value, name) : fallback;
}

List texts(std::vector<std::string> parts, int message) {
    List out;
    for (auto& part : parts)
        out.emplace_back(std::move(part), message);
    return out;
}

Value strippedText(const Value& self, const Arguments& arguments, Side side) {
    return Value(std::string(stripped(self.text(), side, optionalText(arguments, 0, "chars"))), self.message);
}

Value casedText(const Value& self, Case how) { return Value(cased(self.text(), how), self.message); }

/// The characters [start, end) that find(), count() and startswith() look at, as bytes.
TextRange window(const Value& self, const Arguments& arguments) {
    const auto size = static_cast<std::int64_t>(characterCount(self.text()));
    const auto clamp = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
    };
    const auto begin = clamp(optionalInteger(arguments, 1, "start", 0)),
               end = clamp(optionalInteger(arguments, 2, "end", size));
    const auto from = byteOffset(self.text(), static_cast<std::size_t>(begin));
    return {from, std::max(from, byteOffset(self.text(), static_cast<std::size_t>(end)))};
}

std::string_view windowText(const Value& self, const Arguments& arguments) {
    const auto range = window(self, arguments);
    return std::string_view(self.text()).substr(range.begin, range.size());
}

template <class Matches>
Value anyAffix(const Value& self, const Arguments& arguments, std::string_view function, Matches matches) {
    const auto text = windowText(self, arguments);
    if (arguments.positional.empty())
        fault(std::string(function) + "() takes at least 1 argument (0 given)");
    const auto& affix = arguments.positional[0];
    if (affix.isString())
        return matches(text, affix.text());
    if (!affix.as<ListValue>() || !affix.as<ListValue>()->tuple)
        fault(std::string(function) + " first arg must be str or a tuple of str, not " + affix.typeName());
    return std::ranges::any_of(*affix.list(),
                               [&](const Value& one) { return one.isString() && matches(text, one.text()); });
}

Value found(const Value& self, const Arguments& arguments, bool last, std::string_view function,
            bool required) {
    const auto range = window(self, arguments);
    const auto text = windowText(self, arguments);
    const auto& wanted = textArgument(arguments, 0, function);
    const auto at = last ? text.rfind(wanted) : text.find(wanted);
    if (at != std::string_view::npos)
        return static_cast<std::int64_t>(characterIndex(self.text(), range.begin + at));
    if (required)
        fault("substring not found");
    return std::int64_t{-1};
}

std::int64_t occurrences(std::string_view text, const std::string& wanted) {
    if (wanted.empty())
        return static_cast<std::int64_t>(characterCount(text)) + 1;
    std::int64_t count = 0;
    for (auto at = text.find(wanted); at != std::string_view::npos;
         at = text.find(wanted, at + wanted.size()))
        ++count;
    return count;
}

Value splitParts(const Value& self, const Arguments& arguments, bool fromRight) {
    const auto* separator = optionalText(arguments, 0, "sep");
    if (separator && separator->empty())
        fault("empty separator");
    return texts(splitText(self.text(), separator, optionalInteger(arguments, 1, "maxsplit", -1), fromRight),
                 self.message);
}

Value partition(const Value& self, const Arguments& arguments, bool fromRight) {
    const auto& separator = textArgument(arguments, 0, "partition");
    if (separator.empty())
        fault("empty separator");
    const auto at = fromRight ? self.text().rfind(separator) : self.text().find(separator);
    if (at == std::string::npos) {
        const Value nothing(std::string{});
        return Value(fromRight ? List{nothing, nothing, self} : List{self, nothing, nothing}, true);
    }
    return Value(texts({self.text().substr(0, at), separator, self.text().substr(at + separator.size())},
                       self.message),
                 true);
}

Value joinedItems(const Value& self, const Arguments& arguments) {
    std::string out;
    int message = self.message;
    const auto* items = arguments.find(0, "iterable");
    if (!items)
        fault("join() takes exactly one argument (0 given)");
    bool first = true;
    for (const auto& item : iterate(*items)) {
        if (!item.isString())
            fault("sequence item: expected str instance, " + std::string(item.typeName()) + " found");
        out += (std::exchange(first, false) ? "" : self.text()) + item.text();
        message = message >= 0 ? message : item.message;
    }
    return Value(std::move(out), message);
}

/// ljust(), rjust(), center(), zfill().
Value padded(const Value& self, const Arguments& arguments, std::string_view how) {
    constexpr std::int64_t widest = 1 << 20;
    const auto width = std::min(widest, optionalInteger(arguments, 0, "width", 0));
    const auto* fill = optionalText(arguments, 1, "fillchar");
    const std::string with = how == "zfill" ? "0" : fill ? *fill : " ";
    const auto lacking = std::max<std::int64_t>(0, width - lengthOf(self));
    // Python puts the odd one on the left when the width is odd.
    const auto left = how == "ljust" ? 0 : how == "center" ? lacking / 2 + (lacking & width & 1) : lacking;
    std::string before, behind;
    for (std::int64_t i = 0; i < lacking; ++i)
        (i < left ? before : behind) += with;
    const bool sign = how == "zfill" && (self.text().starts_with("-") || self.text().starts_with("+"));
    return Value(sign ? self.text()[0] + before + self.text().substr(1) : before + self.text() + behind,
                 self.message);
}

Value replacedText(const Value& self, const Arguments& arguments) {
    const auto *from = optionalText(arguments, 0, "old"), *to = optionalText(arguments, 1, "new");
    if (!from || !to)
        fault("replace expected at least 2 arguments");
    return Value(replaced(self.text(), *from, *to, optionalInteger(arguments, 2, "count", -1)), self.message);
}

Value withoutAffix(const Value& self, const Arguments& arguments, bool prefix) {
    const auto& affix = textArgument(arguments, 0, prefix ? "removeprefix" : "removesuffix");
    const auto& text = self.text();
    if (prefix ? !text.starts_with(affix) : !text.ends_with(affix))
        return self;
    return Value(prefix ? text.substr(affix.size()) : text.substr(0, text.size() - affix.size()),
                 self.message);
}

template <TextKind kind>
Value isKind(const Value& self, const Arguments&) {
    return isAll(self.text(), kind);
}

const std::map<std::string_view, Method>& stringMethods() {
    using V = const Value&;
    using A = const Arguments&;
    static const std::map<std::string_view, Method> methods{
        {"strip", [](V s, A a) { return strippedText(s, a, Side::Both); }},
        {"lstrip", [](V s, A a) { return strippedText(s, a, Side::Left); }},
        {"rstrip", [](V s, A a) { return strippedText(s, a, Side::Right); }},
        {"upper", [](V s, A) { return casedText(s, Case::Upper); }},
        {"lower", [](V s, A) { return casedText(s, Case::Lower); }},
        {"title", [](V s, A) { return casedText(s, Case::Title); }},
        {"capitalize", [](V s, A) { return casedText(s, Case::Capitalize); }},
        {"swapcase", [](V s, A) { return casedText(s, Case::Swap); }},
        {"casefold", [](V s, A) { return casedText(s, Case::Fold); }},
        {"split", [](V s, A a) { return splitParts(s, a, false); }},
        {"rsplit", [](V s, A a) { return splitParts(s, a, true); }},
        {"splitlines",
         [](V s, A a) {
             const auto* keep = a.find(0, "keepends");
             return Value(texts(splitLines(s.text(), keep && keep->truth()), s.message));
         }},
        {"partition", [](V s, A a) { return partition(s, a, false); }},
        {"rpartition", [](V s, A a) { return partition(s, a, true); }},
        {"join", joinedItems},
        {"replace", replacedText},
        {"startswith",
         [](V s, A a) {
             return anyAffix(s, a, "startswith",
                             [](std::string_view t, const std::string& x) { return t.starts_with(x); });
         }},
        {"endswith",
         [](V s, A a) {
             return anyAffix(s, a, "endswith",
                             [](std::string_view t, const std::string& x) { return t.ends_with(x); });
         }},
        {"find", [](V s, A a) { return found(s, a, false, "find", false); }},
        {"rfind", [](V s, A a) { return found(s, a, true, "rfind", false); }},
        {"index", [](V s, A a) { return found(s, a, false, "index", true); }},
        {"rindex", [](V s, A a) { return found(s, a, true, "rindex", true); }},
        {"count", [](V s, A a) { return Value(occurrences(windowText(s, a), textArgument(a, 0, "count"))); }},
        {"removeprefix", [](V s, A a) { return withoutAffix(s, a, true); }},
        {"removesuffix", [](V s, A a) { return withoutAffix(s, a, false); }},
        {"format", [](V s, A a) { return Value(braceFormat(s.text(), a), s.message); }},
        {"ljust", [](V s, A a) { return padded(s, a, "ljust"); }},
        {"rjust", [](V s, A a) { return padded(s, a, "rjust"); }},
        {"center", [](V s, A a) { return padded(s, a, "center"); }},
        {"zfill", [](V s, A a) { return padded(s, a, "zfill"); }},
        {"isdigit", isKind<TextKind::Digit>},
        {"isdecimal", isKind<TextKind::Decimal>},
        {"isnumeric", isKind<TextKind::Numeric>},
        {"isalpha", isKind<TextKind::Alpha>},
        {"isalnum", isKind<TextKind::Alnum>},
        {"isspace", isKind<TextKind::Space>},
        {"isupper", isKind<TextKind::Upper>},
        {"islower", isKind<TextKind::Lower>},
    };
    return methods;
}

Value indexOf(const Value& self, const Arguments& arguments) {
    const auto& items = *self.list();
    const auto* wanted = arguments.find(0, "value");
    for (std::size_t i = 0; wanted && i < items.size(); ++i)
        if (equal(items[i], *wanted))
            return static_cast<std::int64_t>(i);
    fault((wanted ? repr(*wanted) : std::string("the value")) + " is not in list");
}

const std::map<std::string_view, Method>& listMethods() {
    static const std::map<std::string_view, Method> methods{
        {"index", indexOf},
        {"count",
         [](const Value& self, const Arguments& arguments) {
             const auto* wanted = arguments.find(0, "value");
             return Value(static_cast<std::int64_t>(std::ranges::count_if(
                 *self.list(), [&](const Value& item) { return wanted && equal(item, *wanted); })));
         }},
        {"copy", [](const Value& self, const Arguments&) { return self; }},
    };
    return methods;
}

Value itemMarked(Value value, const Value& dict) {
    if (dict.dict()->message >= 0)
        value.message = dict.dict()->message;
    return value;
}

const std::map<std::string_view, Method>& dictMethods() {
    static const std::map<std::string_view, Method> methods{
        {"get",
         [](const Value& self, const Arguments& arguments) {
             const auto *key = arguments.find(0, "key"), *fallback = arguments.find(1, "default");
             if (!key)
                 fault("get expected at least 1 argument, got 0");
             const auto* value = self.dict()->find(*key);
             return value ? itemMarked(*value, self) : fallback ? *fallback : Value();
         }},
        {"keys", [](const Value& self, const Arguments&) { return Value(iterate(self)); }},
        {"values",
         [](const Value& self, const Arguments&) {
             List out;
             for (const auto& [key, value] : self.dict()->items())
                 out.push_back(itemMarked(value, self));
             return Value(std::move(out));
         }},
        {"items",
         [](const Value& self, const Arguments&) {
             List out;
             for (const auto& [key, value] : self.dict()->items())
                 out.emplace_back(List{key, itemMarked(value, self)}, true);
             return Value(std::move(out));
         }},
        {"copy", [](const Value& self, const Arguments&) { return self; }},
    };
    return methods;
}

/// What the sandbox of transformers refuses: methods that change their object.
bool changesObject(const Value& value, std::string_view name) {
    static constexpr std::string_view ofLists[] = {"append", "clear",  "extend",  "insert",
                                                   "pop",    "remove", "reverse", "sort"};
    static constexpr std::string_view ofDicts[] = {"clear", "pop", "popitem", "setdefault", "update"};
    return (value.list() && std::ranges::find(ofLists, name) != std::end(ofLists)) ||
           (value.dict() && std::ranges::find(ofDicts, name) != std::end(ofDicts));
}

Value loopAttribute(const std::shared_ptr<LoopState>& shared, const std::string& name) {
    const auto& loop = *shared;
    if (name == "index")
        return loop.index + 1;
    if (name == "index0")
        return loop.index;
    if (name == "revindex")
        return loop.length - loop.index;
    if (name == "revindex0")
        return loop.length - loop.index - 1;
    if (name == "first")
        return loop.index == 0;
    if (name == "last")
        return loop.index + 1 == loop.length;
    if (name == "length")
        return loop.length;
    if (name == "depth")
        return loop.depth;
    if (name == "depth0")
        return loop.depth - 1;
    if (name == "previtem")
        return loop.previous;
    if (name == "nextitem")
        return loop.next;
    if (name == "cycle")
        return Function([shared](const Arguments& arguments) {
            if (arguments.positional.empty())
                fault("no items for cycling given");
            return arguments
                .positional[static_cast<std::size_t>(shared->index) % arguments.positional.size()];
        });
    if (name == "changed")
        return Function([shared](const Arguments& arguments) -> Value {
            const bool changed =
                !shared->changedTo || !std::ranges::equal(*shared->changedTo, arguments.positional, equal);
            shared->changedTo = arguments.positional;
            return changed;
        });
    return Value::undefined("");
}

} // namespace

Value methodOf(const Value& value, const std::string& name) {
    if (value.loop())
        return loopAttribute(*value.as<std::shared_ptr<LoopState>>(), name);
    if (changesObject(value, name))
        fault("access to attribute '" + name + "' of '" + value.typeName() + "' object is unsafe.");
    static const std::map<std::string_view, Method> none;
    const auto& methods = value.isString()                               ? stringMethods()
                          : value.list() && !value.as<ListValue>()->lazy ? listMethods()
                          : value.dict()                                 ? dictMethods()
                                                                         : none;
    const auto found = methods.find(name);
    if (found == methods.end())
        return Value::undefined("");
    return Function([self = value, method = found->second](const Arguments& arguments) {
        return method(self, arguments);
    });
}

} // namespace anneal::jinja
