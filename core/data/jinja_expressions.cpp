#include "core/data/jinja_parser.h"

#include <algorithm>

namespace anneal::jinja {

namespace {

/// Deeper than any template; keeps hostile ones from exhausting the stack.
constexpr int deepestExpression = 200;

const char* kindName(Token::Kind kind) {
    switch (kind) {
    case Token::Kind::Data: return "template data";
    case Token::Kind::BlockBegin: return "begin of statement block";
    case Token::Kind::BlockEnd: return "end of statement block";
    case Token::Kind::PrintBegin: return "begin of print statement";
    case Token::Kind::PrintEnd: return "end of print statement";
    case Token::Kind::End: return "end of template";
    default: return "token";
    }
}

bool isWord(const Token& token) {
    return token.kind == Token::Kind::Name || token.kind == Token::Kind::String ||
           token.kind == Token::Kind::Integer || token.kind == Token::Kind::Float ||
           token.kind == Token::Kind::Operator;
}

} // namespace

Token TokenStream::take() {
    auto token = now();
    if (at_ + 1 < tokens_.size())
        ++at_;
    return token;
}

bool TokenStream::skipOperator(std::string_view text) { return isOperator(text) && (take(), true); }
bool TokenStream::skipName(std::string_view text) { return isName(text) && (take(), true); }

void TokenStream::fail(std::string message) const {
    throw TemplateFault{std::move(message), false, now().line};
}

void TokenStream::failUnexpected(std::string_view expected) const {
    const auto got = isWord(now()) ? "'" + now().text + "'" : kindName(now().kind);
    fail("unexpected " + got + ", expected '" + std::string(expected) + "'.");
}

void TokenStream::expectOperator(std::string_view text) {
    if (!skipOperator(text))
        failUnexpected(text);
}
void TokenStream::expectName(std::string_view text) {
    if (!skipName(text))
        failUnexpected(text);
}
void TokenStream::expect(Token::Kind kind, std::string_view what) {
    if (now().kind != kind)
        failUnexpected(what);
    take();
}
std::string TokenStream::expectAnyName() {
    if (now().kind != Token::Kind::Name)
        failUnexpected("name");
    return take().text;
}

ExpressionPtr ExpressionParser::make(Expression::Kind kind) const {
    auto node = std::make_unique<Expression>();
    node->kind = kind;
    node->line = tokens_.now().line;
    return node;
}

ExpressionPtr ExpressionParser::constant(Value value) const {
    auto node = make(Expression::Kind::Constant);
    node->value = std::move(value);
    return node;
}

ExpressionPtr ExpressionParser::condition() {
    if (++depth_ > deepestExpression)
        tokens_.fail("an expression is nested too deeply");
    auto node = either();
    while (tokens_.skipName("if")) {
        auto choice = make(Expression::Kind::Condition);
        choice->parts.push_back(std::move(node));
        choice->parts.push_back(either());
        choice->parts.push_back(tokens_.skipName("else") ? condition() : nullptr);
        node = std::move(choice);
    }
    --depth_;
    return node;
}

ExpressionPtr ExpressionParser::either() {
    auto left = both();
    while (tokens_.skipName("or")) {
        auto node = make(Expression::Kind::Or);
        node->parts.push_back(std::move(left));
        node->parts.push_back(both());
        left = std::move(node);
    }
    return left;
}

ExpressionPtr ExpressionParser::both() {
    auto left = negation();
    while (tokens_.skipName("and")) {
        auto node = make(Expression::Kind::And);
        node->parts.push_back(std::move(left));
        node->parts.push_back(negation());
        left = std::move(node);
    }
    return left;
}

ExpressionPtr ExpressionParser::negation() {
    if (!tokens_.isName("not"))
        return comparison();
    if (++depth_ > deepestExpression)
        tokens_.fail("an expression is nested too deeply");
    tokens_.take();
    auto node = make(Expression::Kind::Not);
    node->parts.push_back(negation());
    --depth_;
    return node;
}

ExpressionPtr ExpressionParser::comparison() {
    static constexpr std::string_view operators[] = {"==", "!=", "<", "<=", ">", ">="};
    auto node = make(Expression::Kind::Compare);
    node->parts.push_back(sum());
    for (;;) {
        const auto& now = tokens_.now();
        std::string found;
        if (now.kind == Token::Kind::Operator &&
            std::ranges::find(operators, now.text) != std::end(operators))
            found = tokens_.take().text;
        else if (tokens_.skipName("in"))
            found = "in";
        else if (tokens_.isName("not") && tokens_.ahead().kind == Token::Kind::Name &&
                 tokens_.ahead().text == "in") {
            tokens_.take();
            tokens_.take();
            found = "not in";
        } else
            break;
        node->operators.push_back(found);
        node->parts.push_back(sum());
    }
    return node->operators.empty() ? std::move(node->parts[0]) : std::move(node);
}

ExpressionPtr ExpressionParser::arithmetic(ExpressionPtr left, ExpressionPtr (ExpressionParser::*right)()) {
    auto node = make(Expression::Kind::Arithmetic);
    node->text = tokens_.take().text;
    node->parts.push_back(std::move(left));
    node->parts.push_back((this->*right)());
    return node;
}

ExpressionPtr ExpressionParser::sum() {
    auto left = concatenation();
    while (tokens_.isOperator("+") || tokens_.isOperator("-"))
        left = arithmetic(std::move(left), &ExpressionParser::concatenation);
    return left;
}

ExpressionPtr ExpressionParser::concatenation() {
    auto node = make(Expression::Kind::Concatenate);
    node->parts.push_back(product());
    while (tokens_.skipOperator("~"))
        node->parts.push_back(product());
    return node->parts.size() == 1 ? std::move(node->parts[0]) : std::move(node);
}

ExpressionPtr ExpressionParser::product() {
    auto left = power();
    while (tokens_.isOperator("*") || tokens_.isOperator("/") || tokens_.isOperator("//") ||
           tokens_.isOperator("%"))
        left = arithmetic(std::move(left), &ExpressionParser::power);
    return left;
}

ExpressionPtr ExpressionParser::power() {
    auto left = unary(true);
    while (tokens_.isOperator("**")) {
        auto node = make(Expression::Kind::Arithmetic);
        node->text = tokens_.take().text;
        node->parts.push_back(std::move(left));
        node->parts.push_back(unary(true));
        left = std::move(node);
    }
    return left;
}

ExpressionPtr ExpressionParser::unary(bool withFilters) {
    if (++depth_ > deepestExpression)
        tokens_.fail("an expression is nested too deeply");
    ExpressionPtr node;
    if (tokens_.isOperator("-") || tokens_.isOperator("+")) {
        node = make(tokens_.isOperator("-") ? Expression::Kind::Negative : Expression::Kind::Positive);
        tokens_.take();
        node->parts.push_back(unary(false));
    } else {
        node = primary();
    }
    node = postfix(std::move(node));
    --depth_;
    return withFilters ? filters(std::move(node)) : std::move(node);
}

ExpressionPtr ExpressionParser::primary() {
    const auto& now = tokens_.now();
    switch (now.kind) {
    case Token::Kind::Name: {
        const auto line = now.line;
        const auto name = tokens_.take().text;
        if (name == "true" || name == "True" || name == "false" || name == "False")
            return constant(name[0] == 't' || name[0] == 'T');
        if (name == "none" || name == "None")
            return constant(Value());
        auto node = make(Expression::Kind::Name);
        node->text = name;
        node->line = line;
        return node;
    }
    case Token::Kind::String: {
        std::string text;
        while (tokens_.now().kind == Token::Kind::String)
            text += tokens_.take().text;
        return constant(std::move(text));
    }
    case Token::Kind::Integer: return constant(tokens_.take().integer);
    case Token::Kind::Float: return constant(tokens_.take().real);
    default:
        if (tokens_.isOperator("("))
            return bracketed();
        if (tokens_.isOperator("["))
            return listLiteral();
        if (tokens_.isOperator("{"))
            return dictLiteral();
        tokens_.fail(isWord(now) ? "unexpected '" + now.text + "'"
                                 : std::string("unexpected ") + kindName(now.kind));
    }
}

bool ExpressionParser::endsTuple() const {
    const auto kind = tokens_.now().kind;
    return kind == Token::Kind::PrintEnd || kind == Token::Kind::BlockEnd || tokens_.isOperator(")") ||
           tokens_.isName("recursive");
}

ExpressionPtr ExpressionParser::tuple(bool plain) {
    auto node = make(Expression::Kind::TupleOf);
    const auto one = [&] { return plain ? either() : condition(); };
    node->parts.push_back(one());
    if (!tokens_.isOperator(","))
        return std::move(node->parts[0]);
    while (tokens_.skipOperator(",") && !endsTuple())
        node->parts.push_back(one());
    return node;
}

ExpressionPtr ExpressionParser::bracketed() {
    tokens_.expectOperator("(");
    if (tokens_.skipOperator(")"))
        return make(Expression::Kind::TupleOf);
    auto node = tuple();
    tokens_.expectOperator(")");
    return node;
}

ExpressionPtr ExpressionParser::listLiteral() {
    auto node = make(Expression::Kind::ListOf);
    tokens_.expectOperator("[");
    while (!tokens_.isOperator("]")) {
        if (!node->parts.empty())
            tokens_.expectOperator(",");
        if (tokens_.isOperator("]"))
            break;
        node->parts.push_back(condition());
    }
    tokens_.expectOperator("]");
    return node;
}

ExpressionPtr ExpressionParser::dictLiteral() {
    auto node = make(Expression::Kind::DictOf);
    tokens_.expectOperator("{");
    while (!tokens_.isOperator("}")) {
        if (!node->parts.empty())
            tokens_.expectOperator(",");
        if (tokens_.isOperator("}"))
            break;
        node->parts.push_back(condition());
        tokens_.expectOperator(":");
        node->parts.push_back(condition());
    }
    tokens_.expectOperator("}");
    return node;
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr node) {
    for (;;) {
        if (tokens_.isOperator(".") || tokens_.isOperator("["))
            node = subscript(std::move(node));
        else if (tokens_.isOperator("(")) {
            auto call = make(Expression::Kind::Call);
            call->parts.push_back(std::move(node));
            call->arguments = callArguments();
            node = std::move(call);
        } else
            return node;
    }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr node) {
    if (tokens_.skipOperator(".")) {
        if (tokens_.now().kind == Token::Kind::Integer) {
            auto item = make(Expression::Kind::Item);
            item->parts.push_back(std::move(node));
            item->parts.push_back(constant(tokens_.take().integer));
            return item;
        }
        auto attribute = make(Expression::Kind::Attribute);
        attribute->text = tokens_.expectAnyName();
        attribute->parts.push_back(std::move(node));
        return attribute;
    }
    auto item = make(Expression::Kind::Item);
    tokens_.expectOperator("[");
    item->parts.push_back(std::move(node));
    item->parts.push_back(subscripted());
    tokens_.expectOperator("]");
    return item;
}

ExpressionPtr ExpressionParser::subscripted() {
    auto node = make(Expression::Kind::Slice);
    const auto part = [&] {
        const bool absent = tokens_.isOperator(":") || tokens_.isOperator("]");
        node->parts.push_back(absent ? nullptr : condition());
    };
    part();
    if (!tokens_.isOperator(":")) {
        if (!node->parts[0])
            tokens_.fail("expected subscript expression");
        return std::move(node->parts[0]);
    }
    while (node->parts.size() < 3 && tokens_.skipOperator(":"))
        part();
    node->parts.resize(3);
    return node;
}

CallArguments ExpressionParser::callArguments() {
    CallArguments arguments;
    tokens_.expectOperator("(");
    for (bool first = true; !tokens_.isOperator(")"); first = false) {
        if (!first)
            tokens_.expectOperator(",");
        if (tokens_.isOperator(")"))
            break;
        if (tokens_.isOperator("*") || tokens_.isOperator("**")) {
            auto& unpacked = tokens_.take().text == "*" ? arguments.unpacked : arguments.unpackedNamed;
            if (unpacked)
                tokens_.fail("invalid syntax for function call expression");
            unpacked = condition();
            continue;
        }
        const bool named = tokens_.now().kind == Token::Kind::Name &&
                           tokens_.ahead().kind == Token::Kind::Operator && tokens_.ahead().text == "=";
        if (named) {
            auto name = tokens_.take().text;
            tokens_.take();
            arguments.named.emplace_back(std::move(name), condition());
        } else if (!arguments.named.empty()) {
            tokens_.fail("invalid syntax for function call expression");
        } else {
            arguments.positional.push_back(condition());
        }
    }
    tokens_.expectOperator(")");
    return arguments;
}

std::string ExpressionParser::dottedName() {
    auto name = tokens_.expectAnyName();
    while (tokens_.skipOperator("."))
        name += "." + tokens_.expectAnyName();
    return name;
}

ExpressionPtr ExpressionParser::filters(ExpressionPtr node) {
    for (;;) {
        if (tokens_.isOperator("|")) {
            tokens_.take();
            node = filter(std::move(node));
        } else if (tokens_.isName("is")) {
            node = test(std::move(node));
        } else if (tokens_.isOperator("(")) {
            node = postfix(std::move(node));
        } else {
            return node;
        }
    }
}

ExpressionPtr ExpressionParser::filter(ExpressionPtr node) {
    auto made = make(Expression::Kind::Filter);
    made->text = dottedName();
    made->parts.push_back(std::move(node));
    if (tokens_.isOperator("("))
        made->arguments = callArguments();
    return made;
}

ExpressionPtr ExpressionParser::test(ExpressionPtr node) {
    tokens_.expectName("is");
    const bool negated = tokens_.skipName("not");
    auto made = make(Expression::Kind::Test);
    made->text = dottedName();
    made->parts.push_back(std::move(node));
    const auto& now = tokens_.now();
    const bool word = now.kind == Token::Kind::String || now.kind == Token::Kind::Integer ||
                      now.kind == Token::Kind::Float || tokens_.isOperator("[") || tokens_.isOperator("{") ||
                      (now.kind == Token::Kind::Name && now.text != "else" && now.text != "or" &&
                       now.text != "and" && now.text != "if" && now.text != "not" && now.text != "in");
    if (tokens_.isName("is"))
        tokens_.fail("You cannot chain multiple tests with is");
    if (tokens_.isOperator("("))
        made->arguments = callArguments();
    else if (word)
        made->arguments.positional.push_back(postfix(primary()));
    if (!negated)
        return made;
    auto inverse = make(Expression::Kind::Not);
    inverse->parts.push_back(std::move(made));
    return inverse;
}

} // namespace anneal::jinja
