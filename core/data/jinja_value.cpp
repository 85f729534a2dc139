#include "core/data/jinja_value.h"

#include "core/data/jinja_text.h"

#include <algorithm>

namespace anneal::jinja {

void fault(std::string message) { throw TemplateFault{std::move(message)}; }

const Value* Dict::find(const Value& key) const {
    const auto found = std::ranges::find_if(items_, [&](const auto& item) { return equal(item.first, key); });
    return found == items_.end() ? nullptr : &found->second;
}

const Value* Dict::find(std::string_view key) const {
    const auto found = std::ranges::find_if(
        items_, [&](const auto& item) { return item.first.isString() && item.first.text() == key; });
    return found == items_.end() ? nullptr : &found->second;
}

void Dict::set(Value key, Value value) {
    const auto found = std::ranges::find_if(items_, [&](const auto& item) { return equal(item.first, key); });
    if (found != items_.end())
        found->second = std::move(value);
    else
        items_.emplace_back(std::move(key), std::move(value));
}

const Value* Arguments::find(std::size_t index, std::string_view name) const {
    if (index < positional.size())
        return &positional[index];
    const auto found = std::ranges::find_if(named, [&](const auto& item) { return item.first == name; });
    return found == named.end() ? nullptr : &found->second;
}

void Arguments::expectAtMost(std::string_view function, std::size_t most) const {
    if (positional.size() > most)
        fault(std::string(function) + "() takes at most " + std::to_string(most) + " arguments (" +
              std::to_string(positional.size()) + " given)");
}

Value Value::undefined(std::string reason) {
    Value value;
    value.data_ = Undefined{std::move(reason)};
    return value;
}

Value Value::generator(List items) {
    Value value;
    value.data_ = ListValue{std::make_shared<const List>(std::move(items)), false, true};
    return value;
}

Value Value::fromJson(const Json& json, bool numbered) {
    switch (json.type()) {
    case Json::value_t::boolean: return json.get<bool>();
    case Json::value_t::number_integer: return json.get<std::int64_t>();
    case Json::value_t::number_unsigned:
        if (json.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
            return json.get<double>();
        return json.get<std::int64_t>();
    case Json::value_t::number_float: return json.get<double>();
    case Json::value_t::string: return json.get<std::string>();
    case Json::value_t::array: {
        List items;
        for (const auto& item : json) {
            auto value = fromJson(item);
            if (numbered && value.dict()) {
                auto dict = *value.dict();
                dict.message = static_cast<int>(items.size());
                value = Value(std::move(dict));
            }
            items.push_back(std::move(value));
        }
        return items;
    }
    case Json::value_t::object: {
        Dict dict;
        for (const auto& [key, item] : json.items())
            dict.append(key, fromJson(item));
        return dict;
    }
    default: return {};
    }
}

const Dict* Value::dict() const {
    const auto* dict = as<std::shared_ptr<const Dict>>();
    return dict ? dict->get() : nullptr;
}
const List* Value::list() const {
    const auto* list = as<ListValue>();
    return list ? list->items.get() : nullptr;
}
Namespace* Value::space() const {
    const auto* space = as<std::shared_ptr<Namespace>>();
    return space ? space->get() : nullptr;
}
LoopState* Value::loop() const {
    const auto* loop = as<std::shared_ptr<LoopState>>();
    return loop ? loop->get() : nullptr;
}
const Function* Value::function() const {
    const auto* function = as<std::shared_ptr<const Function>>();
    return function ? function->get() : nullptr;
}

std::optional<std::int64_t> Value::integer() const {
    if (const auto* flag = as<bool>())
        return *flag ? 1 : 0;
    const auto* value = as<std::int64_t>();
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> Value::number() const {
    if (const auto* value = as<double>())
        return *value;
    const auto whole = integer();
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

bool Value::truth() const {
    if (isUndefined() || isNone())
        return false;
    if (const auto value = number())
        return *value != 0;
    if (isString())
        return !text().empty();
    if (const auto* sequence = as<ListValue>())
        return sequence->lazy || !sequence->items->empty();
    if (const auto* pairs = dict())
        return !pairs->items().empty();
    return true;
}

const char* Value::typeName() const {
    static constexpr const char* names[] = {"Undefined", "NoneType", "bool",      "int",  "float",   "str",
                                            "list",      "dict",     "Namespace", "loop", "function"};
    const auto* sequence = as<ListValue>();
    if (sequence && sequence->lazy)
        return "generator";
    return sequence && sequence->tuple ? "tuple" : names[data_.index()];
}

bool equal(const Value& a, const Value& b) {
    if (const auto x = a.integer(), y = b.integer(); x && y)
        return *x == *y;
    if (const auto x = a.number(), y = b.number(); x && y)
        return *x == *y;
    if (a.isString() && b.isString())
        return a.text() == b.text();
    if (const auto* x = a.as<ListValue>(), *y = b.as<ListValue>(); x && y)
        return x->tuple == y->tuple && !x->lazy && !y->lazy &&
               std::ranges::equal(*x->items, *y->items, equal);
    if (const auto* x = a.dict(), *y = b.dict(); x && y)
        return x->items().size() == y->items().size() &&
               std::ranges::all_of(x->items(), [&](const auto& item) {
                   const auto* other = y->find(item.first);
                   return other && equal(item.second, *other);
               });
    if (a.function() && b.function())
        return a.function() == b.function();
    return (a.isNone() && b.isNone()) || (a.isUndefined() && b.isUndefined()) ||
           (a.space() && a.space() == b.space());
}

bool less(const Value& a, const Value& b) {
    if (const auto x = a.integer(), y = b.integer(); x && y)
        return *x < *y;
    if (const auto x = a.number(), y = b.number(); x && y)
        return *x < *y;
    if (a.isString() && b.isString())
        return a.text() < b.text(); // the order of UTF-8 is that of code points
    if (const auto* x = a.as<ListValue>(), *y = b.as<ListValue>(); x && y && x->tuple == y->tuple)
        return std::lexicographical_compare(x->items->begin(), x->items->end(), y->items->begin(),
                                            y->items->end(), less);
    for (const auto* value : {&a, &b})
        if (const auto* missing = value->as<Undefined>())
            fault(missing->reason);
    fault("'<' not supported between instances of '" + std::string(a.typeName()) + "' and '" + b.typeName() +
          "'");
}

List iterate(const Value& value) {
    if (const auto* items = value.list())
        return *items;
    if (value.isUndefined())
        return {};
    if (value.isString()) {
        List characters;
        for (auto& character : charactersOf(value.text()))
            characters.emplace_back(std::move(character), value.message);
        return characters;
    }
    if (const auto* dict = value.dict()) {
        List keys;
        for (const auto& [key, item] : dict->items())
            keys.push_back(key);
        return keys;
    }
    fault("'" + std::string(value.typeName()) + "' object is not iterable");
}

std::int64_t lengthOf(const Value& value) {
    if (const auto* sequence = value.as<ListValue>(); sequence && !sequence->lazy)
        return static_cast<std::int64_t>(sequence->items->size());
    if (value.isString())
        return static_cast<std::int64_t>(characterCount(value.text()));
    if (const auto* dict = value.dict())
        return static_cast<std::int64_t>(dict->items().size());
    if (value.isUndefined())
        return 0;
    if (const auto* loop = value.loop())
        return loop->length;
    fault("object of type '" + std::string(value.typeName()) + "' has no len()");
}

bool contains(const Value& container, const Value& item) {
    if (const auto* items = container.list())
        return std::ranges::any_of(*items, [&](const Value& other) { return equal(item, other); });
    if (const auto* dict = container.dict())
        return dict->find(item) != nullptr;
    if (container.isString()) {
        if (!item.isString())
            fault("'in <string>' requires string as left operand, not " + std::string(item.typeName()));
        return container.text().find(item.text()) != std::string::npos;
    }
    if (container.isUndefined())
        return false;
    fault("argument of type '" + std::string(container.typeName()) + "' is not iterable");
}

} // namespace anneal::jinja
