#pragma once
#include "core/data/jinja_value.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace anneal::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// Arguments as written in a call, a filter or a test.
struct CallArguments {
    std::vector<ExpressionPtr> positional;
    std::vector<std::pair<std::string, ExpressionPtr>> named;
    ExpressionPtr unpacked, unpackedNamed; ///< *list and **dict; null when there is none
};

struct Expression {
    enum class Kind {
        Constant,  ///< value
        Name,      ///< text
        ListOf,    ///< parts
        TupleOf,   ///< parts
        DictOf,    ///< parts: key, value, key, value...
        Attribute, ///< parts[0].text
        Item,      ///< parts[0][parts[1]]
        Slice,     ///< parts: start, stop, step; each may be null
        Call,      ///< parts[0](arguments)
        Filter,    ///< parts[0] | text(arguments); parts[0] is null in a filter block
        Test,      ///< parts[0] is text(arguments)
        Condition, ///< parts[0] if parts[1] else parts[2], which may be null
        And,
        Or,
        Not,
        Negative,
        Positive,
        Arithmetic,  ///< parts[0] text parts[1]
        Concatenate, ///< parts joined as text (~)
        Compare,     ///< parts[0] operators[0] parts[1] operators[1] parts[2]...
    };
    Kind kind;
    int line = 0;
    std::string text;
    Value value;
    std::vector<ExpressionPtr> parts;
    CallArguments arguments;
    std::vector<std::string> operators;
};

/// What an assignment fills: a name, a tuple of targets, or a field of a namespace.
struct Target {
    std::string name, field;
    std::vector<Target> parts; ///< of a tuple
};

struct Statement;
using Body = std::vector<std::unique_ptr<Statement>>;

struct Parameter {
    std::string name;
    ExpressionPtr fallback;
};

struct Statement {
    enum class Kind {
        Data,        ///< text
        Print,       ///< expression
        For,         ///< target in expression if condition: body, else: otherwise
        If,          ///< expression: body, else: otherwise
        Set,         ///< target = expression
        SetBlock,    ///< target = body, through the filters of expression
        Macro,       ///< text(parameters): body
        CallBlock,   ///< body becomes caller() of the call in expression
        FilterBlock, ///< body through the filters of expression
        With,        ///< assignments, then body
        Generation,  ///< body
        Break,
        Continue,
    };
    Kind kind;
    int line = 0;
    std::string text;
    Target target;
    ExpressionPtr expression, condition;
    std::vector<Parameter> parameters;
    std::vector<std::pair<Target, ExpressionPtr>> assignments;
    Body body, otherwise;
    bool recursive = false; ///< of For: loop(...) runs it again over other items
};

/// Parses a template; throws TemplateFault with the line.
Body parse(std::string_view source);

} // namespace anneal::jinja
