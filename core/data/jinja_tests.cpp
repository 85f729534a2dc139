#include "core/data/jinja_evaluator.h"
#include "core/data/jinja_text.h"

#include <map>

namespace anneal::jinja {

namespace {

using Test = bool (*)(const Value& value, const Arguments& arguments);

const Value& operand(const Arguments& arguments) {
    if (arguments.positional.empty())
        fault("the test needs a value to compare with");
    return arguments.positional[0];
}

std::int64_t wholeOf(const Value& value) {
    const auto whole = value.integer();
    if (!whole)
        fault(std::string("the test needs a whole number, not ") + value.typeName());
    return *whole;
}

bool isIterable(const Value& value) { return value.list() || value.dict() || value.isString() || value.isUndefined(); }

bool isFloat(const Value& value) { return value.as<double>() != nullptr; }
bool isWhole(const Value& value) { return value.as<std::int64_t>() != nullptr; }

const std::map<std::string, Test, std::less<>>& tests() {
    using A = const Arguments&;
    using V = const Value&;
    static const Test equalTo = [](V v, A a) { return equal(v, operand(a)); };
    static const Test unequal = [](V v, A a) { return !equal(v, operand(a)); };
    static const Test lower = [](V v, A a) { return less(v, operand(a)); };
    static const Test greater = [](V v, A a) { return less(operand(a), v); };
    static const Test atMost = [](V v, A a) { return !less(operand(a), v); };
    static const Test atLeast = [](V v, A a) { return !less(v, operand(a)); };
    static const std::map<std::string, Test, std::less<>> table = {
        {"defined", [](V v, A) { return !v.isUndefined(); }},
        {"undefined", [](V v, A) { return v.isUndefined(); }},
        {"none", [](V v, A) { return v.isNone(); }},
        {"string", [](V v, A) { return v.isString(); }},
        {"mapping", [](V v, A) { return v.dict() != nullptr; }},
        {"iterable", [](V v, A) { return isIterable(v); }},
        {"sequence", [](V v, A) { return isIterable(v); }},
        {"number", [](V v, A) { return v.isNumber(); }},
        {"integer", [](V v, A) { return isWhole(v); }},
        {"float", [](V v, A) { return isFloat(v); }},
        {"boolean", [](V v, A) { return v.as<bool>() != nullptr; }},
        {"true", [](V v, A) { return v.as<bool>() && *v.as<bool>(); }},
        {"false", [](V v, A) { return v.as<bool>() && !*v.as<bool>(); }},
        {"callable", [](V v, A) { return v.function() != nullptr; }},
        {"in", [](V v, A a) { return contains(operand(a), v); }},
        {"odd", [](V v, A) { return wholeOf(v) % 2 != 0; }},
        {"even", [](V v, A) { return wholeOf(v) % 2 == 0; }},
        {"divisibleby",
         [](V v, A a) {
             const auto divisor = wholeOf(operand(a));
             if (divisor == 0)
                 fault("integer modulo by zero");
             return wholeOf(v) % divisor == 0;
         }},
        {"lower", [](V v, A) { return isAll(str(v), TextKind::Lower); }},
        {"upper", [](V v, A) { return isAll(str(v), TextKind::Upper); }},
        {"sameas", [](V v, A a) { return v.typeName() == operand(a).typeName() && equal(v, operand(a)); }},
        {"eq", equalTo},
        {"equalto", equalTo},
        {"==", equalTo},
        {"ne", unequal},
        {"!=", unequal},
        {"lt", lower},
        {"lessthan", lower},
        {"<", lower},
        {"gt", greater},
        {"greaterthan", greater},
        {">", greater},
        {"le", atMost},
        {"<=", atMost},
        {"ge", atLeast},
        {">=", atLeast},
    };
    return table;
}

} // namespace

bool applyTest(const std::string& name, const Value& input, const Arguments& arguments) {
    const auto found = tests().find(name);
    if (found == tests().end())
        fault("No test named '" + name + "'.");
    return found->second(input, arguments);
}

} // namespace anneal::jinja
