#pragma once
#include "core/base/json.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace anneal::jinja {

/// A fault of a template or of what it was given; caught at the border of ChatTemplate.
struct TemplateFault {
    std::string message;
    bool raised = false; ///< by the template itself, through raise_exception()
    int line = 0;        ///< 0: not known
};
[[noreturn]] void fault(std::string message);

class Value;
using List = std::vector<Value>;

/// Pairs in the order in which they were put in.
class Dict {
public:
    const Value* find(const Value& key) const;
    const Value* find(std::string_view key) const;
    void set(Value key, Value value);
    /// As set() for a key that is known to be new.
    void append(Value key, Value value);
    const std::vector<std::pair<Value, Value>>& items() const { return items_; }

    /// Which message this is, -1 for none: whatever is read from it is marked so.
    int message = -1;

private:
    std::vector<std::pair<Value, Value>> items_;
};

/// Positional and named arguments of a call.
struct Arguments {
    List positional;
    std::vector<std::pair<std::string, Value>> named;

    /// Argument `index`, or the one named so; nullptr when it was not given.
    const Value* find(std::size_t index, std::string_view name) const;
    /// A fault when there are more than `most` positional ones.
    void expectAtMost(std::string_view function, std::size_t most) const;
};
using Function = std::function<Value(const Arguments&)>;

/// What a missing name or attribute gives: prints as nothing, and is a fault where a value is needed.
struct Undefined {
    std::string reason;
};
struct None {};
struct Text {
    std::shared_ptr<const std::string> text;
};
struct ListValue {
    std::shared_ptr<const List> items;
    bool tuple = false;
    bool lazy = false; ///< Python's generator: always true, without length and positions
};
struct Namespace {
    Dict fields;
};
struct LoopState;

/// A value of Python as templates see it.
class Value {
public:
    using Data = std::variant<Undefined, None, bool, std::int64_t, double, Text, ListValue,
                              std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
                              std::shared_ptr<LoopState>, std::shared_ptr<const Function>>;

    Value() : data_(None{}) {}
    Value(bool value) : data_(value) {}
    Value(std::int64_t value) : data_(value) {}
    Value(double value) : data_(value) {}
    Value(std::string text, int fromMessage = -1)
        : message(fromMessage), data_(Text{std::make_shared<const std::string>(std::move(text))}) {}
    Value(const char* text) : Value(std::string(text)) {}
    Value(List items, bool tuple = false)
        : data_(ListValue{std::make_shared<const List>(std::move(items)), tuple}) {}
    Value(Dict dict) : data_(std::make_shared<const Dict>(std::move(dict))) {}
    Value(Function function) : data_(std::make_shared<const Function>(std::move(function))) {}
    explicit Value(std::shared_ptr<Namespace> space) : data_(std::move(space)) {}
    explicit Value(std::shared_ptr<LoopState> loop) : data_(std::move(loop)) {}
    static Value undefined(std::string reason);
    static Value generator(List items);
    /// Objects of the list `messages` are numbered when `numbered` says so.
    static Value fromJson(const Json& json, bool numbered = false);

    template <class T>
    const T* as() const {
        return std::get_if<T>(&data_);
    }
    bool isUndefined() const { return as<Undefined>() != nullptr; }
    bool isNone() const { return as<None>() != nullptr; }
    bool isString() const { return as<Text>() != nullptr; }
    bool isNumber() const { return as<bool>() || as<std::int64_t>() || as<double>(); }
    const std::string& text() const { return *as<Text>()->text; }
    const Dict* dict() const;
    const List* list() const;
    Namespace* space() const;
    LoopState* loop() const;
    const Function* function() const;
    /// A number as an integer (True is 1); nullopt for floats and everything else.
    std::optional<std::int64_t> integer() const;
    std::optional<double> number() const;

    bool truth() const;
    /// "str", "int", "dict", ... as Python names the type.
    const char* typeName() const;

    /// The message that the value was read from, -1: the template.
    int message = -1;

private:
    Data data_;
};

struct LoopState {
    std::int64_t index = 0, length = 0; ///< index counts from 0
    std::int64_t depth = 1;
    Value previous, next;
    std::optional<List> changedTo; ///< last arguments of loop.changed()
    Function again;                ///< of a recursive loop: runs it over other items
};

inline void Dict::append(Value key, Value value) { items_.emplace_back(std::move(key), std::move(value)); }

bool equal(const Value& a, const Value& b);
/// Less than, as Python orders numbers, strings, lists and tuples; a fault for others.
bool less(const Value& a, const Value& b);
/// The elements that iteration gives: of lists, characters of strings, keys of dicts; a fault for others.
List iterate(const Value& value);
/// len(); a fault for values that have none.
std::int64_t lengthOf(const Value& value);
bool contains(const Value& container, const Value& item);

/// str() and repr() of Python.
std::string str(const Value& value);
std::string repr(const Value& value);

struct JsonStyle {
    bool ensureAscii = false;
    std::optional<std::string> indent;
    std::string itemSeparator = ", ", keySeparator = ": ";
    bool sortKeys = false;
};
/// json.dumps() of Python.
std::string toJson(const Value& value, const JsonStyle& style);

/// The first message that one of the two stems from.
inline int messageOf(const Value& a, const Value& b) { return a.message >= 0 ? a.message : b.message; }

} // namespace anneal::jinja
