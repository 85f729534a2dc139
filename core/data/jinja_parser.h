#pragma once
#include "core/data/jinja_ast.h"
#include "core/data/jinja_lexer.h"

#include <initializer_list>

namespace anneal::jinja {

/// Looks at tokens one after another.
class TokenStream {
public:
    explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    const Token& now() const { return tokens_[at_]; }
    const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
    Token take();
    bool isOperator(std::string_view text) const {
        return now().kind == Token::Kind::Operator && now().text == text;
    }
    bool isName(std::string_view text) const { return now().kind == Token::Kind::Name && now().text == text; }
    bool skipOperator(std::string_view text);
    bool skipName(std::string_view text);
    void expectOperator(std::string_view text);
    void expectName(std::string_view text);
    void expect(Token::Kind kind, std::string_view what);
    std::string expectAnyName();
    [[noreturn]] void fail(std::string message) const;
    [[noreturn]] void failUnexpected(std::string_view expected) const;

private:
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

/// Parses expressions, with the precedence of Jinja.
class ExpressionParser {
public:
    explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

    ExpressionPtr expression() { return condition(); }
    /// One expression, or a tuple of several without brackets; without a condition where `plain`.
    ExpressionPtr tuple(bool plain = false);
    ExpressionPtr primary();
    ExpressionPtr postfix(ExpressionPtr node);
    /// Filters, tests and calls behind `node`.
    ExpressionPtr filters(ExpressionPtr node);
    ExpressionPtr filter(ExpressionPtr node);
    CallArguments callArguments();

private:
    ExpressionPtr make(Expression::Kind kind) const;
    ExpressionPtr constant(Value value) const;
    ExpressionPtr condition();
    ExpressionPtr either();
    ExpressionPtr both();
    ExpressionPtr negation();
    ExpressionPtr comparison();
    ExpressionPtr sum();
    ExpressionPtr concatenation();
    ExpressionPtr product();
    ExpressionPtr power();
    ExpressionPtr unary(bool withFilters);
    ExpressionPtr subscript(ExpressionPtr node);
    ExpressionPtr subscripted();
    ExpressionPtr test(ExpressionPtr node);
    ExpressionPtr arithmetic(ExpressionPtr left, ExpressionPtr (ExpressionParser::*right)());
    ExpressionPtr bracketed();
    ExpressionPtr listLiteral();
    ExpressionPtr dictLiteral();
    bool endsTuple() const;
    std::string dottedName();

    TokenStream& tokens_;
    int depth_ = 0;
};

} // namespace anneal::jinja
