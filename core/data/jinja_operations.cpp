#include "core/data/jinja_evaluator.h"
#include "core/data/jinja_text.h"
#include "core/data/tokenizer_text.h"

#include <algorithm>
#include <cmath>

namespace anneal::jinja {

namespace {

constexpr std::size_t longestText = 64u << 20;
constexpr std::size_t longestList = 1u << 22;

void refuseUndefined(const Value& value) {
    if (const auto* missing = value.as<Undefined>())
        fault(missing->reason);
}

[[noreturn]] void unsupported(const std::string& operation, const Value& a, const Value& b) {
    fault("unsupported operand type(s) for " + operation + ": '" + a.typeName() + "' and '" + b.typeName() +
          "'");
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    const auto quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t powerOf(std::int64_t base, std::int64_t exponent) {
    std::int64_t out = 1;
    for (; exponent > 0; --exponent)
        if (__builtin_mul_overflow(out, base, &out))
            fault("integer result is too large");
        else if (base == 0 || base == 1)
            return base;
    return out;
}

Value integerArithmetic(const std::string& operation, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    if (operation == "+"   ? __builtin_add_overflow(a, b, &out)
        : operation == "-" ? __builtin_sub_overflow(a, b, &out)
        : operation == "*" ? __builtin_mul_overflow(a, b, &out)
                           : false)
        fault("integer result is too large");
    if (operation == "**")
        return b < 0 ? Value(std::pow(static_cast<double>(a), static_cast<double>(b))) : Value(powerOf(a, b));
    if (operation != "/" && operation != "//" && operation != "%")
        return out;
    if (b == 0)
        fault(operation == "/" ? "division by zero" : "integer division or modulo by zero");
    if (operation == "/")
        return static_cast<double>(a) / static_cast<double>(b);
    if (b == -1)
        return operation == "//" ? integerArithmetic("-", 0, a) : Value(std::int64_t{0});
    return operation == "//" ? floorDivide(a, b) : a - floorDivide(a, b) * b;
}

Value realArithmetic(const std::string& operation, double a, double b) {
    if (operation == "+")
        return a + b;
    if (operation == "-")
        return a - b;
    if (operation == "*")
        return a * b;
    if (operation == "**")
        return std::pow(a, b);
    if (b == 0)
        fault("float division by zero");
    if (operation == "/")
        return a / b;
    const auto quotient = std::floor(a / b);
    return operation == "//" ? quotient : a - quotient * b;
}

std::int64_t repeats(const Value& count, std::size_t size, std::size_t limit) {
    const auto times = std::max<std::int64_t>(0, *count.integer());
    if (size > 0 && static_cast<std::uint64_t>(times) > limit / size)
        fault("a repetition is too large");
    return times;
}

Value repeated(const Value& sequence, const Value& count) {
    if (sequence.isString()) {
        std::string out;
        for (auto i = repeats(count, sequence.text().size(), longestText); i > 0; --i)
            out += sequence.text();
        return Value(std::move(out), sequence.message);
    }
    List out;
    const auto& items = *sequence.list();
    for (auto i = repeats(count, items.size(), longestList); i > 0; --i)
        out.insert(out.end(), items.begin(), items.end());
    return Value(std::move(out), sequence.as<ListValue>()->tuple);
}

bool isSequence(const Value& value) {
    const auto* sequence = value.as<ListValue>();
    return value.isString() || (sequence && !sequence->lazy);
}

Value added(const Value& a, const Value& b) {
    if (a.isString() && b.isString()) {
        if (a.text().size() + b.text().size() > longestText)
            fault("a text is too large");
        return Value(a.text() + b.text(), messageOf(a, b));
    }
    if (a.isString())
        fault("can only concatenate str (not \"" + std::string(b.typeName()) + "\") to str");
    const auto *x = a.as<ListValue>(), *y = b.as<ListValue>();
    if (!x || !y || x->tuple != y->tuple || x->lazy || y->lazy)
        unsupported("+", a, b);
    if (x->items->size() + y->items->size() > longestList)
        fault("a list is too large");
    auto items = *x->items;
    items.insert(items.end(), y->items->begin(), y->items->end());
    return Value(std::move(items), x->tuple);
}

/// Element `index` from the front, or from the back when negative; -1 when there is none.
std::int64_t position(std::int64_t index, std::int64_t size) {
    const auto at = index < 0 ? index + size : index;
    return at >= 0 && at < size ? at : -1;
}

std::string objectName(const Value& value) {
    return value.isNone() ? "None" : std::string(value.typeName()) + " object";
}

Value missingAttribute(const Value& value, const std::string& name) {
    refuseUndefined(value);
    return Value::undefined("'" + objectName(value) + "' has no attribute '" + name + "'");
}

/// What is read from a message is marked as coming from it.
Value marked(Value value, const Dict& dict) {
    if (dict.message >= 0)
        value.message = dict.message;
    return value;
}

Value item(const Value& value, const Value& key) {
    if (const auto* dict = value.dict()) {
        const auto* found = dict->find(key);
        return found ? marked(*found, *dict)
                     : Value::undefined("'dict object' has no attribute '" + str(key) + "'");
    }
    if (const auto index = key.integer(); index && isSequence(value)) {
        const auto at = position(*index, lengthOf(value));
        if (at < 0)
            return Value::undefined("'" + objectName(value) + "' has no element " + std::to_string(*index));
        if (value.list())
            return (*value.list())[static_cast<std::size_t>(at)];
        const auto begin = byteOffset(value.text(), static_cast<std::size_t>(at));
        return Value(value.text().substr(begin, characterLength(value.text(), begin)), value.message);
    }
    return Value::undefined("'" + objectName(value) + "' has no element " + repr(key));
}

/// Positions that a slice takes, as Python computes them.
std::vector<std::size_t> slicePositions(const Value& start, const Value& stop, const Value& step,
                                        std::int64_t size) {
    const auto bound = [](const Value& value) {
        if (!value.isNone() && !value.integer())
            fault("slice indices must be integers or None or have an __index__ method");
        return value.integer();
    };
    const auto by = bound(step).value_or(1);
    if (by == 0)
        fault("slice step cannot be zero");
    const auto clamp = [&](std::optional<std::int64_t> at, std::int64_t fallback) {
        const std::int64_t low = by < 0 ? -1 : 0, high = by < 0 ? size - 1 : size;
        if (!at)
            return fallback;
        return std::clamp<std::int64_t>(*at < 0 ? std::max(*at, -size - 1) + size : *at, low,
                                        std::max<std::int64_t>(low, high));
    };
    const auto from = clamp(bound(start), by < 0 ? size - 1 : 0), to = clamp(bound(stop), by < 0 ? -1 : size);
    std::vector<std::size_t> out;
    for (auto at = from; by < 0 ? at > to : at < to;) {
        out.push_back(static_cast<std::size_t>(at));
        if (__builtin_add_overflow(at, by, &at))
            break;
    }
    return out;
}

} // namespace

Value arithmetic(const std::string& operation, const Value& a, const Value& b) {
    refuseUndefined(a);
    if (operation == "%" && a.isString())
        return Value(percentFormat(a.text(), b), messageOf(a, b));
    refuseUndefined(b);
    if (const auto x = a.integer(), y = b.integer(); x && y)
        return integerArithmetic(operation, *x, *y);
    if (const auto x = a.number(), y = b.number(); x && y)
        return realArithmetic(operation, *x, *y);
    if (operation == "+")
        return added(a, b);
    if (operation == "*" && isSequence(a) && b.integer())
        return repeated(a, b);
    if (operation == "*" && isSequence(b) && a.integer())
        return repeated(b, a);
    unsupported(operation, a, b);
}

Value concatenated(const std::vector<Value>& parts) {
    std::string out;
    int message = -1;
    for (const auto& part : parts) {
        out += str(part);
        message = message >= 0 ? message : part.message;
        if (out.size() > longestText)
            fault("a text is too large");
    }
    return Value(std::move(out), message);
}

Value attributeOf(const Value& value, const std::string& name) {
    refuseUndefined(value);
    if (name.starts_with("_"))
        fault("access to attribute '" + name + "' of '" + value.typeName() + "' object is unsafe.");
    auto method = methodOf(value, name);
    if (!method.isUndefined())
        return method;
    if (value.space()) {
        const auto* field = value.space()->fields.find(std::string_view(name));
        return field ? *field : missingAttribute(value, name);
    }
    if (const auto* dict = value.dict())
        if (const auto* found = dict->find(std::string_view(name)))
            return marked(*found, *dict);
    return missingAttribute(value, name);
}

Value subscript(const Value& value, const Value& key) {
    refuseUndefined(value);
    refuseUndefined(key);
    auto found = item(value, key);
    if (!found.isUndefined() || !key.isString())
        return found;
    if (value.dict() && value.dict()->find(key)) // holds an undefined value
        return found;
    return attributeOf(value, key.text());
}

Value sliced(const Value& value, const Value& start, const Value& stop, const Value& step) {
    refuseUndefined(value);
    if (!isSequence(value))
        fault("'" + std::string(value.typeName()) + "' object is not subscriptable");
    const auto positions = slicePositions(start, stop, step, lengthOf(value));
    if (const auto* items = value.list()) {
        List out;
        for (const auto at : positions)
            out.push_back((*items)[at]);
        return Value(std::move(out), value.as<ListValue>()->tuple);
    }
    if (positions.empty())
        return Value(std::string(), value.message);
    if (step.isNone() || *step.integer() == 1) {
        const auto begin = byteOffset(value.text(), positions.front());
        const auto end = byteOffset(std::string_view(value.text()).substr(begin), positions.size());
        return Value(value.text().substr(begin, end), value.message);
    }
    const auto characters = charactersOf(value.text());
    std::string out;
    for (const auto at : positions)
        out += characters[at];
    return Value(std::move(out), value.message);
}

std::int64_t integerArgument(const Value& value, std::string_view function) {
    if (const auto whole = value.integer())
        return *whole;
    fault(std::string(function) + "() needs an integer, not '" + value.typeName() + "'");
}

} // namespace anneal::jinja
