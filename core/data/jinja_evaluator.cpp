#include "core/data/jinja_evaluator.h"

#include <algorithm>

namespace anneal::jinja {

namespace {

constexpr std::int64_t mostSteps = 3'000'000;
constexpr std::size_t longestOutput = 128u << 20;
constexpr int deepestCall = 100;

/// Sets a variable for the length of a block, also when a fault leaves it.
template <class T>
class Restored {
public:
    Restored(T& variable, T value)
        : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
    ~Restored() { variable_ = std::move(before_); }
    Restored(const Restored&) = delete;
    Restored& operator=(const Restored&) = delete;

private:
    T& variable_;
    T before_;
};

int messageOfItem(const Value& item) { return item.dict() ? item.dict()->message : item.message; }

} // namespace

const Value* Scope::find(std::string_view name) const {
    for (const auto* scope = this; scope; scope = scope->outer_.get())
        for (const auto& [known, value] : scope->names_)
            if (known == name)
                return &value;
    return nullptr;
}

void Scope::set(const std::string& name, Value value) {
    const auto found = std::ranges::find_if(names_, [&](const auto& item) { return item.first == name; });
    if (found != names_.end())
        found->second = std::move(value);
    else
        names_.emplace_back(name, std::move(value));
}

Evaluator::Evaluator(const RenderContext& context) : globals_(std::make_shared<Scope>()) {
    globals_->set("messages", Value::fromJson(context.messages, true));
    globals_->set("tools", Value::fromJson(context.tools));
    globals_->set("documents", Value());
    globals_->set("add_generation_prompt", context.add_generation_prompt);
    if (!context.bos_token.empty()) // a tokenizer without one leaves the name undefined
        globals_->set("bos_token", context.bos_token);
    if (!context.eos_token.empty())
        globals_->set("eos_token", context.eos_token);
    for (const auto& [key, value] : context.extra.items())
        globals_->set(key, Value::fromJson(value));
}

Rendering Evaluator::run(const Body& body) {
    runBody(body, std::make_shared<Scope>(globals_));
    return std::move(out_);
}

void Evaluator::step() {
    if (++steps_ > mostSteps)
        fault("the template runs for too long");
}

void Evaluator::write(std::string_view text, int message) {
    if (text.empty())
        return;
    if (out_.text.size() + text.size() > longestOutput)
        fault("the template writes more than " + std::to_string(longestOutput >> 20) + " MB");
    const auto begin = out_.text.size();
    out_.text += text;
    if (message < 0)
        message = message_;
    auto& spans = out_.spans;
    if (!spans.empty() && spans.back().message == message && spans.back().generation == generation_)
        spans.back().end = out_.text.size();
    else
        spans.push_back({begin, out_.text.size(), message, generation_});
}

Evaluator::Flow Evaluator::runBody(const Body& body, const ScopePtr& scope) {
    for (const auto& statement : body) {
        step();
        try {
            if (const auto flow = runStatement(*statement, scope); flow != Flow::Normal)
                return flow;
        } catch (TemplateFault& found) {
            if (found.line == 0)
                found.line = statement->line;
            throw;
        }
    }
    return Flow::Normal;
}

Evaluator::Flow Evaluator::runStatement(const Statement& statement, const ScopePtr& scope) {
    switch (statement.kind) {
    case Statement::Kind::Data: write(statement.text, -1); break;
    case Statement::Kind::Print: {
        const auto value = evaluate(*statement.expression, scope);
        write(str(value), value.message);
        break;
    }
    case Statement::Kind::For: runFor(statement, evaluate(*statement.expression, scope), scope, 1); break;
    case Statement::Kind::If:
        return runBody(evaluate(*statement.expression, scope).truth() ? statement.body : statement.otherwise,
                       scope);
    case Statement::Kind::Set: assign(statement.target, evaluate(*statement.expression, scope), scope); break;
    case Statement::Kind::SetBlock: {
        auto text = captured(statement.body, std::make_shared<Scope>(scope));
        assign(statement.target,
               statement.expression ? applyFilters(*statement.expression, text, scope) : text, scope);
        break;
    }
    case Statement::Kind::Macro: scope->set(statement.text, makeFunction(statement, scope)); break;
    case Statement::Kind::CallBlock: runCallBlock(statement, scope); break;
    case Statement::Kind::FilterBlock: {
        const auto text = applyFilters(*statement.expression,
                                       captured(statement.body, std::make_shared<Scope>(scope)), scope);
        write(str(text), text.message);
        break;
    }
    case Statement::Kind::With: runWith(statement, scope); break;
    case Statement::Kind::Generation: runGeneration(statement, scope); break;
    case Statement::Kind::Break: return Flow::Break;
    case Statement::Kind::Continue: return Flow::Continue;
    }
    return Flow::Normal;
}

void Evaluator::runFor(const Statement& statement, const Value& items, const ScopePtr& scope,
                       std::int64_t depth) {
    if (depth > deepestCall)
        fault("a recursive loop is nested too deeply");
    List chosen;
    for (auto& item : iterate(items)) {
        step();
        if (statement.condition) {
            const auto inner = std::make_shared<Scope>(scope);
            assign(statement.target, item, inner);
            if (!evaluate(*statement.condition, inner).truth())
                continue;
        }
        chosen.push_back(std::move(item));
    }
    auto state = std::make_shared<LoopState>();
    state->length = static_cast<std::int64_t>(chosen.size());
    state->depth = depth;
    state->previous = Value::undefined("there is no previous item");
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        step();
        const auto inner = std::make_shared<Scope>(scope);
        state->index = static_cast<std::int64_t>(i);
        state->next = i + 1 < chosen.size() ? chosen[i + 1] : Value::undefined("there is no next item");
        if (statement.recursive)
            state->again = [this, &statement, scope, depth](const Arguments& arguments) {
                return recursed(statement, arguments, scope, depth + 1);
            };
        inner->set("loop", Value(state));
        assign(statement.target, chosen[i], inner);
        const int message = messageOfItem(chosen[i]);
        const Restored turn(message_, message >= 0 ? message : message_);
        if (runBody(statement.body, inner) == Flow::Break)
            return;
        state->previous = chosen[i];
    }
    if (chosen.empty())
        runBody(statement.otherwise, std::make_shared<Scope>(scope));
}

Value Evaluator::recursed(const Statement& statement, const Arguments& arguments, const ScopePtr& scope,
                          std::int64_t depth) {
    const auto* items = arguments.find(0, "iterable");
    if (!items)
        fault("loop() needs the items to go over");
    return captured([&] { runFor(statement, *items, scope, depth); });
}

Value Evaluator::makeFunction(const Statement& statement, const ScopePtr& scope) {
    // Weak: the scope holds the macro, which must not hold the scope.
    return Function([this, &statement, definedIn = std::weak_ptr(scope)](const Arguments& arguments) {
        const auto scope = definedIn.lock();
        if (!scope)
            fault("macro '" + statement.text + "' is called outside of the block that defines it");
        if (depth_ > deepestCall)
            fault("macros call each other too deeply");
        const Restored deeper(depth_, depth_ + 1);
        const auto inner = std::make_shared<Scope>(scope);
        bindParameters(statement, arguments, inner);
        return captured(statement.body, inner);
    });
}

void Evaluator::bindParameters(const Statement& statement, const Arguments& arguments,
                               const ScopePtr& scope) {
    const auto& parameters = statement.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto& name = parameters[i].name;
        if (const auto* given = arguments.find(i, name))
            scope->set(name, *given);
        else if (parameters[i].fallback)
            scope->set(name, evaluate(*parameters[i].fallback, scope));
        else
            scope->set(name, Value::undefined("parameter '" + name + "' was not provided"));
    }
    Dict others;
    for (const auto& [name, value] : arguments.named) {
        if (name == "caller")
            scope->set(name, value);
        else if (std::ranges::find(parameters, name, &Parameter::name) == parameters.end())
            others.set(name, value);
    }
    const auto extra = std::min(parameters.size(), arguments.positional.size());
    scope->set("varargs", Value(List(arguments.positional.begin() + static_cast<std::ptrdiff_t>(extra),
                                     arguments.positional.end()),
                                true));
    scope->set("kwargs", Value(std::move(others)));
}

void Evaluator::runCallBlock(const Statement& statement, const ScopePtr& scope) {
    const auto& expression = *statement.expression;
    auto arguments = argumentsOf(expression.arguments, scope);
    arguments.named.emplace_back("caller", makeFunction(statement, scope));
    const auto text = call(evaluate(*expression.parts[0], scope), arguments);
    write(str(text), text.message);
}

void Evaluator::runWith(const Statement& statement, const ScopePtr& scope) {
    const auto inner = std::make_shared<Scope>(scope);
    for (const auto& [target, expression] : statement.assignments)
        assign(target, evaluate(*expression, scope), inner);
    runBody(statement.body, inner);
}

void Evaluator::runGeneration(const Statement& statement, const ScopePtr& scope) {
    const Restored marked(generation_, true);
    runBody(statement.body, std::make_shared<Scope>(scope));
}

template <class Run>
Value Evaluator::captured(Run run) {
    Rendering inner;
    {
        const Restored output(out_, Rendering{});
        run();
        inner = std::move(out_);
    }
    const auto marked =
        std::ranges::find_if(inner.spans, [](const RenderSpan& span) { return span.message >= 0; });
    return Value(std::move(inner.text), marked == inner.spans.end() ? -1 : marked->message);
}

Value Evaluator::captured(const Body& body, const ScopePtr& scope) {
    return captured([&] { runBody(body, scope); });
}

void Evaluator::assign(const Target& target, const Value& value, const ScopePtr& scope) {
    if (!target.parts.empty()) {
        const auto items = iterate(value);
        if (items.size() != target.parts.size())
            fault((items.size() < target.parts.size() ? "not enough values to unpack (expected "
                                                      : "too many values to unpack (expected ") +
                  std::to_string(target.parts.size()) + ")");
        for (std::size_t i = 0; i < items.size(); ++i)
            assign(target.parts[i], items[i], scope);
        return;
    }
    if (target.field.empty())
        return scope->set(target.name, value);
    const auto holder = lookUp(target.name, scope);
    if (!holder.space())
        fault("cannot assign attribute on non-namespace object");
    holder.space()->fields.set(target.field, value);
}

Value Evaluator::lookUp(const std::string& name, const ScopePtr& scope) const {
    if (const auto* found = scope->find(name))
        return *found;
    auto global = globalNamed(name);
    return global.isUndefined() ? Value::undefined("'" + name + "' is undefined") : global;
}

Arguments Evaluator::argumentsOf(const CallArguments& written, const ScopePtr& scope) {
    Arguments arguments;
    for (const auto& expression : written.positional)
        arguments.positional.push_back(evaluate(*expression, scope));
    for (const auto& [name, expression] : written.named)
        arguments.named.emplace_back(name, evaluate(*expression, scope));
    if (written.unpacked)
        for (auto& value : iterate(evaluate(*written.unpacked, scope)))
            arguments.positional.push_back(std::move(value));
    if (written.unpackedNamed) {
        const auto others = evaluate(*written.unpackedNamed, scope);
        if (!others.dict())
            fault("argument after ** must be a mapping, not " + std::string(others.typeName()));
        for (const auto& [name, value] : others.dict()->items())
            arguments.named.emplace_back(str(name), value);
    }
    return arguments;
}

Value Evaluator::call(const Value& function, const Arguments& arguments) {
    if (const auto* missing = function.as<Undefined>())
        fault(missing->reason);
    if (const auto* loop = function.loop(); loop && loop->again)
        return loop->again(arguments);
    if (!function.function())
        fault("'" + std::string(function.typeName()) + "' object is not callable");
    return (*function.function())(arguments);
}

} // namespace anneal::jinja
