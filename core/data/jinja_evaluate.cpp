#include "core/data/jinja_evaluator.h"

#include <algorithm>

namespace anneal::jinja {

Value Evaluator::evaluate(const Expression& expression, const ScopePtr& scope) {
    step();
    return evaluateKind(expression, scope);
}

Value Evaluator::evaluateKind(const Expression& expression, const ScopePtr& scope) {
    const auto part = [&](std::size_t i) { return evaluate(*expression.parts[i], scope); };
    const auto parts = [&] {
        List values;
        for (const auto& inner : expression.parts)
            values.push_back(evaluate(*inner, scope));
        return values;
    };
    switch (expression.kind) {
    case Expression::Kind::Constant: return expression.value;
    case Expression::Kind::Name: return lookUp(expression.text, scope);
    case Expression::Kind::ListOf: return parts();
    case Expression::Kind::TupleOf: return Value(parts(), true);
    case Expression::Kind::DictOf: return dictOf(parts());
    case Expression::Kind::Attribute: return attributeOf(part(0), expression.text);
    case Expression::Kind::Item: return itemOf(expression, scope);
    case Expression::Kind::Slice: fault("a slice stands outside of brackets");
    case Expression::Kind::Call: {
        const auto function = part(0);
        return call(function, argumentsOf(expression.arguments, scope));
    }
    case Expression::Kind::Filter: return filtered(expression, part(0), scope);
    case Expression::Kind::Test: {
        const auto input = part(0);
        return applyTest(expression.text, input, argumentsOf(expression.arguments, scope));
    }
    case Expression::Kind::Condition:
        if (part(1).truth())
            return part(0);
        return expression.parts[2]
                   ? part(2)
                   : Value::undefined(
                         "the inline if-expression evaluated to false and no else section was defined.");
    case Expression::Kind::And: {
        auto left = part(0);
        return left.truth() ? part(1) : left;
    }
    case Expression::Kind::Or: {
        auto left = part(0);
        return left.truth() ? left : part(1);
    }
    case Expression::Kind::Not: return !part(0).truth();
    case Expression::Kind::Negative: return arithmetic("-", std::int64_t{0}, part(0));
    case Expression::Kind::Positive: return arithmetic("+", std::int64_t{0}, part(0));
    case Expression::Kind::Arithmetic: {
        const auto left = part(0);
        return arithmetic(expression.text, left, part(1));
    }
    case Expression::Kind::Concatenate: return concatenated(parts());
    case Expression::Kind::Compare: return compare(expression, scope);
    }
    return {};
}

Value Evaluator::dictOf(const List& keysAndValues) {
    Dict dict;
    for (std::size_t i = 0; i + 1 < keysAndValues.size(); i += 2) {
        if (keysAndValues[i].dict() || (keysAndValues[i].list() && !keysAndValues[i].as<ListValue>()->tuple))
            fault("unhashable type: '" + std::string(keysAndValues[i].typeName()) + "'");
        dict.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return dict;
}

Value Evaluator::itemOf(const Expression& expression, const ScopePtr& scope) {
    const auto value = evaluate(*expression.parts[0], scope);
    const auto& key = *expression.parts[1];
    if (key.kind != Expression::Kind::Slice)
        return subscript(value, evaluate(key, scope));
    const auto bound = [&](std::size_t i) { return key.parts[i] ? evaluate(*key.parts[i], scope) : Value(); };
    const auto start = bound(0), stop = bound(1);
    return sliced(value, start, stop, bound(2));
}

Value Evaluator::compare(const Expression& expression, const ScopePtr& scope) {
    auto left = evaluate(*expression.parts[0], scope);
    for (std::size_t i = 0; i < expression.operators.size(); ++i) {
        auto right = evaluate(*expression.parts[i + 1], scope);
        const auto& name = expression.operators[i];
        const bool holds = name == "=="   ? equal(left, right)
                           : name == "!=" ? !equal(left, right)
                           : name == "<"  ? less(left, right)
                           : name == ">"  ? less(right, left)
                           : name == "<=" ? !less(right, left)
                           : name == ">=" ? !less(left, right)
                           : name == "in" ? contains(right, left)
                                          : !contains(right, left);
        if (!holds)
            return false;
        left = std::move(right);
    }
    return true;
}

Value Evaluator::filtered(const Expression& expression, Value input, const ScopePtr& scope) {
    return applyFilter(expression.text, input, argumentsOf(expression.arguments, scope));
}

/// Filters of a filter block: the innermost takes `input`.
Value Evaluator::applyFilters(const Expression& expression, Value input, const ScopePtr& scope) {
    if (expression.kind != Expression::Kind::Filter)
        fault("a filter block takes filters only");
    if (expression.parts[0])
        input = applyFilters(*expression.parts[0], std::move(input), scope);
    return filtered(expression, std::move(input), scope);
}

} // namespace anneal::jinja
