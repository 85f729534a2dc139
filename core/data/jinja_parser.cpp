#include "core/data/jinja_parser.h"

#include <algorithm>

namespace anneal::jinja {

namespace {

constexpr int deepestBlock = 200;

/// Parses the statements of a template.
class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)), expressions_(tokens_) {}

    Body run() { return body({}, {}); }

private:
    using Names = std::initializer_list<std::string_view>;
    using StatementPtr = std::unique_ptr<Statement>;

    StatementPtr make(Statement::Kind kind) const {
        auto statement = std::make_unique<Statement>();
        statement->kind = kind;
        statement->line = tokens_.now().line;
        return statement;
    }

    /// Statements up to one of the tags `ends`, whose name is left as the next token. `block` is who waits
    /// for it.
    Body body(std::string_view block, Names ends) {
        if (++depth_ > deepestBlock)
            tokens_.fail("blocks are nested too deeply");
        Body out;
        for (;;) {
            const auto kind = tokens_.now().kind;
            if (kind == Token::Kind::End) {
                if (ends.size() > 0)
                    failUnclosed(block, ends);
                break;
            }
            if (kind == Token::Kind::Data) {
                out.push_back(make(Statement::Kind::Data));
                out.back()->text = tokens_.take().text;
            } else if (kind == Token::Kind::PrintBegin) {
                tokens_.take();
                out.push_back(make(Statement::Kind::Print));
                out.back()->expression = expressions_.tuple();
                tokens_.expect(Token::Kind::PrintEnd, "end of print statement");
            } else {
                tokens_.expect(Token::Kind::BlockBegin, "begin of statement block");
                if (std::ranges::any_of(ends, [&](std::string_view name) { return tokens_.isName(name); }))
                    break;
                out.push_back(statement());
            }
        }
        --depth_;
        return out;
    }

    [[noreturn]] void failUnclosed(std::string_view block, Names ends) const {
        std::string wanted;
        for (const auto name : ends)
            wanted += (wanted.empty() ? "'" : " or '") + std::string(name) + "'";
        tokens_.fail("Unexpected end of template. Jinja was looking for the following tags: " + wanted +
                     ". The innermost block that needs to be closed is '" + std::string(block) + "'.");
    }

    void endTag() { tokens_.expect(Token::Kind::BlockEnd, "end of statement block"); }
    /// The body up to {% end %}.
    Body bodyUntil(std::string_view block, std::string_view end) {
        endTag();
        auto out = body(block, {end});
        tokens_.take();
        endTag();
        return out;
    }

    StatementPtr statement() {
        const auto line = tokens_.now().line;
        if (tokens_.now().kind != Token::Kind::Name)
            tokens_.fail("tag name expected");
        const auto tag = tokens_.take().text;
        auto made = statementOf(tag);
        made->line = line;
        return made;
    }

    StatementPtr statementOf(const std::string& tag) {
        if (tag == "for")
            return forLoop();
        if (tag == "if")
            return condition();
        if (tag == "set")
            return assignment();
        if (tag == "macro")
            return macro();
        if (tag == "call")
            return callBlock();
        if (tag == "filter")
            return filterBlock();
        if (tag == "with")
            return with();
        if (tag == "generation")
            return generation();
        if (tag == "break" || tag == "continue")
            return jump(tag);
        tokens_.fail("Encountered unknown tag '" + tag + "'.");
    }

    Target target(bool mayBeTuple = true) {
        Target made;
        std::vector<Target> parts;
        do {
            if (!parts.empty() && tokens_.now().kind != Token::Kind::Name && !tokens_.isOperator("("))
                break;
            if (tokens_.skipOperator("(")) {
                parts.push_back(target());
                tokens_.expectOperator(")");
            } else {
                Target single;
                single.name = tokens_.expectAnyName();
                if (tokens_.skipOperator("."))
                    single.field = tokens_.expectAnyName();
                parts.push_back(std::move(single));
            }
        } while (mayBeTuple && tokens_.skipOperator(","));
        if (parts.size() == 1)
            return std::move(parts[0]);
        made.parts = std::move(parts);
        return made;
    }

    StatementPtr forLoop() {
        auto made = make(Statement::Kind::For);
        made->target = target();
        tokens_.expectName("in");
        made->expression = expressions_.tuple(true);
        if (tokens_.skipName("if"))
            made->condition = expressions_.expression();
        made->recursive = tokens_.skipName("recursive");
        endTag();
        ++loops_;
        made->body = body("for", {"endfor", "else"});
        --loops_;
        if (tokens_.take().text == "else") {
            endTag();
            made->otherwise = body("for", {"endfor"});
            tokens_.take();
        }
        endTag();
        return made;
    }

    /// The rest of an if or elif; the tags after it go into `otherwise`.
    StatementPtr condition() {
        auto made = make(Statement::Kind::If);
        made->expression = expressions_.tuple(false);
        endTag();
        made->body = body("if", {"elif", "else", "endif"});
        const auto end = tokens_.take().text;
        if (end == "elif") {
            if (++depth_ > deepestBlock)
                tokens_.fail("blocks are nested too deeply");
            made->otherwise.push_back(condition());
            --depth_;
            return made;
        }
        if (end == "else") {
            endTag();
            made->otherwise = body("if", {"endif"});
            tokens_.take();
        }
        endTag();
        return made;
    }

    StatementPtr assignment() {
        auto made = make(Statement::Kind::Set);
        made->target = target();
        if (tokens_.skipOperator("=")) {
            made->expression = expressions_.tuple();
            endTag();
            return made;
        }
        made->kind = Statement::Kind::SetBlock;
        if (tokens_.isOperator("|"))
            made->expression = expressions_.filters(nullptr);
        made->body = bodyUntil("set", "endset");
        return made;
    }

    std::vector<Parameter> parameters() {
        std::vector<Parameter> out;
        tokens_.expectOperator("(");
        while (!tokens_.isOperator(")")) {
            if (!out.empty())
                tokens_.expectOperator(",");
            if (tokens_.isOperator(")"))
                break;
            Parameter parameter{tokens_.expectAnyName(), nullptr};
            if (tokens_.skipOperator("="))
                parameter.fallback = expressions_.expression();
            else if (!out.empty() && out.back().fallback)
                tokens_.fail("non-default argument follows default argument");
            out.push_back(std::move(parameter));
        }
        tokens_.expectOperator(")");
        return out;
    }

    StatementPtr macro() {
        auto made = make(Statement::Kind::Macro);
        made->text = tokens_.expectAnyName();
        made->parameters = parameters();
        made->body = withoutLoop([&] { return bodyUntil("macro", "endmacro"); });
        return made;
    }

    StatementPtr callBlock() {
        auto made = make(Statement::Kind::CallBlock);
        if (tokens_.isOperator("("))
            made->parameters = parameters();
        made->expression = expressions_.expression();
        if (made->expression->kind != Expression::Kind::Call)
            tokens_.fail("expected call");
        made->body = withoutLoop([&] { return bodyUntil("call", "endcall"); });
        return made;
    }

    StatementPtr filterBlock() {
        auto made = make(Statement::Kind::FilterBlock);
        made->expression = expressions_.filters(expressions_.filter(nullptr));
        made->body = bodyUntil("filter", "endfilter");
        return made;
    }

    StatementPtr with() {
        auto made = make(Statement::Kind::With);
        while (tokens_.now().kind != Token::Kind::BlockEnd) {
            if (!made->assignments.empty())
                tokens_.expectOperator(",");
            auto to = target(false);
            tokens_.expectOperator("=");
            made->assignments.emplace_back(std::move(to), expressions_.expression());
        }
        made->body = bodyUntil("with", "endwith");
        return made;
    }

    StatementPtr generation() {
        auto made = make(Statement::Kind::Generation);
        made->body = withoutLoop([&] { return bodyUntil("generation", "endgeneration"); });
        return made;
    }

    StatementPtr jump(const std::string& tag) {
        if (loops_ == 0)
            tokens_.fail("'" + tag + "' outside of a loop");
        auto made = make(tag == "break" ? Statement::Kind::Break : Statement::Kind::Continue);
        endTag();
        return made;
    }

    /// A body that becomes a function: break and continue do not reach out of it.
    template <class Parse>
    Body withoutLoop(Parse parse) {
        const auto loops = std::exchange(loops_, 0);
        auto out = parse();
        loops_ = loops;
        return out;
    }

    TokenStream tokens_;
    ExpressionParser expressions_;
    int depth_ = 0, loops_ = 0;
};

} // namespace

Body parse(std::string_view source) { return Parser(tokenize(source)).run(); }

} // namespace anneal::jinja
