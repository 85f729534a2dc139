#include "core/data/jinja_evaluator.h"
#include "core/data/jinja_filters.h"
#include "core/data/jinja_text.h"

#include <map>

namespace anneal::jinja {

namespace {

using Test = bool (*)(const Value& input, const Arguments& arguments);

const Value& operand(const Arguments& arguments) {
    if (arguments.positional.empty())
        fault("a test lacks what to compare with");
    return arguments.positional[0];
}

std::int64_t whole(const Value& value) { return integerArgument(value, "a test of numbers"); }

const std::map<std::string_view, Test>& tests() {
    using V = const Value&;
    using A = const Arguments&;
    constexpr Test isEqual = [](V v, A a) { return equal(v, operand(a)); };
    constexpr Test isUnequal = [](V v, A a) { return !equal(v, operand(a)); };
    constexpr Test isLess = [](V v, A a) { return less(v, operand(a)); };
    constexpr Test isAtMost = [](V v, A a) { return !less(operand(a), v); };
    constexpr Test isMore = [](V v, A a) { return less(operand(a), v); };
    constexpr Test isAtLeast = [](V v, A a) { return !less(v, operand(a)); };
    static const std::map<std::string_view, Test> all{
        {"defined", [](V v, A) { return !v.isUndefined(); }},
        {"undefined", [](V v, A) { return v.isUndefined(); }},
        {"none", [](V v, A) { return v.isNone(); }},
        {"boolean", [](V v, A) { return v.as<bool>() != nullptr; }},
        {"true", [](V v, A) { return v.as<bool>() && *v.as<bool>(); }},
        {"false", [](V v, A) { return v.as<bool>() && !*v.as<bool>(); }},
        {"integer", [](V v, A) { return v.as<std::int64_t>() != nullptr; }},
        {"float", [](V v, A) { return v.as<double>() != nullptr; }},
        {"number", [](V v, A) { return v.isNumber(); }},
        {"string", [](V v, A) { return v.isString(); }},
        {"mapping", [](V v, A) { return v.dict() != nullptr; }},
        {"iterable",
         [](V v, A) { return v.isString() || v.list() || v.dict() || v.isUndefined() || v.loop(); }},
        {"sequence", [](V v, A) { return v.isString() || v.list() || v.dict() || v.isUndefined(); }},
        {"callable", [](V v, A) { return v.function() != nullptr; }},
        {"sameas",
         [](V v, A a) {
             return std::string_view(v.typeName()) == operand(a).typeName() && equal(v, operand(a));
         }},
        {"escaped", [](V, A) { return false; }},
        {"odd", [](V v, A) { return whole(v) % 2 != 0; }},
        {"even", [](V v, A) { return whole(v) % 2 == 0; }},
        {"divisibleby",
         [](V v, A a) {
             const auto by = whole(operand(a));
             return by == 0 ? (fault("integer modulo by zero"), false) : by == -1 || whole(v) % by == 0;
         }},
        {"in", [](V v, A a) { return contains(operand(a), v); }},
        {"upper", [](V v, A) { return isAll(str(v), TextKind::Upper); }},
        {"lower", [](V v, A) { return isAll(str(v), TextKind::Lower); }},
        {"filter", [](V v, A) { return v.isString() && isFilter(v.text()); }},
        {"test", [](V v, A) { return v.isString() && tests().contains(v.text()); }},
        {"eq", isEqual},
        {"equalto", isEqual},
        {"==", isEqual},
        {"ne", isUnequal},
        {"!=", isUnequal},
        {"lt", isLess},
        {"lessthan", isLess},
        {"<", isLess},
        {"le", isAtMost},
        {"<=", isAtMost},
        {"gt", isMore},
        {"greaterthan", isMore},
        {">", isMore},
        {"ge", isAtLeast},
        {">=", isAtLeast},
    };
    return all;
}

} // namespace

bool applyTest(const std::string& name, const Value& input, const Arguments& arguments) {
    const auto found = tests().find(name);
    if (found == tests().end())
        fault("No test named '" + name + "' found.");
    return found->second(input, arguments);
}

} // namespace anneal::jinja
