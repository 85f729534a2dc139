#pragma once
#include "core/data/chat_template.h"
#include "core/data/jinja_ast.h"

#include <memory>
#include <string>
#include <vector>

namespace anneal::jinja {

/// Names that a stretch of a template sees; inner scopes hide outer ones.
class Scope {
public:
    explicit Scope(std::shared_ptr<Scope> outer = nullptr) : outer_(std::move(outer)) {}
    const Value* find(std::string_view name) const;
    void set(const std::string& name, Value value);

private:
    std::shared_ptr<Scope> outer_;
    std::vector<std::pair<std::string, Value>> names_;
};
using ScopePtr = std::shared_ptr<Scope>;

/// Runs a parsed template once. Throws TemplateFault.
class Evaluator {
public:
    explicit Evaluator(const RenderContext& context);

    Rendering run(const Body& body);

private:
    enum class Flow { Normal, Break, Continue };

    Flow runBody(const Body& body, const ScopePtr& scope);
    Flow runStatement(const Statement& statement, const ScopePtr& scope);
    void runFor(const Statement& statement, const Value& items, const ScopePtr& scope, std::int64_t depth);
    Value recursed(const Statement& statement, const Arguments& arguments, const ScopePtr& scope,
                   std::int64_t depth);
    void bindParameters(const Statement& statement, const Arguments& arguments, const ScopePtr& scope);
    Value makeFunction(const Statement& statement, const ScopePtr& scope);
    void runCallBlock(const Statement& statement, const ScopePtr& scope);
    void runWith(const Statement& statement, const ScopePtr& scope);
    void runGeneration(const Statement& statement, const ScopePtr& scope);
    /// Text that a body writes, instead of writing it.
    Value captured(const Body& body, const ScopePtr& scope);
    template <class Run>
    Value captured(Run run);
    void assign(const Target& target, const Value& value, const ScopePtr& scope);
    Value lookUp(const std::string& name, const ScopePtr& scope) const;

    Value evaluate(const Expression& expression, const ScopePtr& scope);
    Arguments argumentsOf(const CallArguments& written, const ScopePtr& scope);
    Value call(const Value& function, const Arguments& arguments);
    static Value dictOf(const List& keysAndValues);
    Value itemOf(const Expression& expression, const ScopePtr& scope);
    Value compare(const Expression& expression, const ScopePtr& scope);
    Value evaluateKind(const Expression& expression, const ScopePtr& scope);
    Value filtered(const Expression& expression, Value input, const ScopePtr& scope);
    Value applyFilters(const Expression& expression, Value input, const ScopePtr& scope);

    void write(std::string_view text, int message);
    void step();

    ScopePtr globals_;
    Rendering out_;
    int message_ = -1; ///< whose turn the innermost loop over messages is at
    bool generation_ = false;
    int depth_ = 0;
    std::int64_t steps_ = 0;
};

// Operations on values, in files of their own.
Value arithmetic(const std::string& operation, const Value& a, const Value& b);
Value concatenated(const std::vector<Value>& parts);
/// Attribute as Jinja reads it: methods first, then items.
Value attributeOf(const Value& value, const std::string& name);
/// Item as Jinja reads it: items first, then methods.
Value subscript(const Value& value, const Value& key);
Value sliced(const Value& value, const Value& start, const Value& stop, const Value& step);
/// Methods of strings, lists, dicts and loops; undefined when there is none of the name.
Value methodOf(const Value& value, const std::string& name);
Value applyFilter(const std::string& name, const Value& input, const Arguments& arguments);
bool applyTest(const std::string& name, const Value& input, const Arguments& arguments);
/// range, namespace, dict, raise_exception, strftime_now...
Value globalNamed(const std::string& name);
/// "'%s' % x" of Python.
std::string percentFormat(const std::string& format, const Value& values);
/// "{} {name}".format(...)
std::string braceFormat(const std::string& format, const Arguments& arguments);
/// A whole argument as text, integer or flag; a fault that names the function otherwise.
std::int64_t integerArgument(const Value& value, std::string_view function);

} // namespace anneal::jinja
