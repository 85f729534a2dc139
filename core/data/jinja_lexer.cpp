#include "core/data/jinja_lexer.h"

#include "core/data/jinja_text.h"
#include "core/data/jinja_value.h"
#include "core/data/tokenizer_text.h"

#include <algorithm>
#include <charconv>
#include <unicode/uchar.h>

namespace anneal::jinja {

namespace {

/// All line ends become \n; one at the very end goes.
std::string normalizedSource(std::string_view source) {
    std::string out;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r')
            out += source[i];
        else if (i + 1 == source.size() || source[i + 1] != '\n')
            out += '\n';
    }
    if (out.ends_with('\n'))
        out.pop_back();
    return out;
}

bool isNameStart(char32_t c) {
    return c == '_' || (c < 0x80 ? (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                                 : u_isIDStart(static_cast<UChar32>(c)));
}
bool isNamePart(char32_t c) {
    return isNameStart(c) || (c < 0x80 ? c >= '0' && c <= '9' : u_isIDPart(static_cast<UChar32>(c)));
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }

void appendUtf8(std::string& out, char32_t c) {
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        c = 0xFFFD;
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out.append({static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))});
    } else if (c < 0x10000) {
        out.append({static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
                    static_cast<char>(0x80 | (c & 0x3F))});
    } else {
        out.append({static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
                    static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))});
    }
}

/// Resolves the escapes of a Python string literal.
class Unescaper {
public:
    explicit Unescaper(std::string_view text) : text_(text) {}

    std::string run() {
        while (at_ < text_.size()) {
            if (text_[at_] != '\\' || at_ + 1 == text_.size())
                out_ += text_[at_++];
            else
                escape(text_[at_ + 1]);
        }
        return std::move(out_);
    }

private:
    void escape(char kind) {
        static constexpr std::string_view letters = "\\'\"abfnrtv\n", values = "\\'\"\a\b\f\n\r\t\v";
        at_ += 2;
        if (const auto found = letters.find(kind); found < values.size())
            out_ += values[found];
        else if (kind == '\n')
            return;
        else if (kind == 'x' || kind == 'u' || kind == 'U')
            number(kind == 'x' ? 2 : kind == 'u' ? 4 : 8, 16);
        else if (kind >= '0' && kind <= '7') {
            --at_;
            number(3, 8);
        } else {
            out_.append({'\\', kind});
        }
    }
    void number(std::size_t most, int base) {
        const auto digits = text_.substr(at_, most);
        std::uint32_t value = 0;
        const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
        const auto count = static_cast<std::size_t>(end - digits.data());
        if (count == 0 || (base == 16 && count != most))
            fault("a string has an escape that is cut off");
        at_ += count;
        appendUtf8(out_, value);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string out_;
};

class Lexer {
public:
    explicit Lexer(std::string source) : source_(std::move(source)) {}

    std::vector<Token> run() {
        while (at_ < source_.size())
            next();
        push(Token::Kind::End);
        return std::move(tokens_);
    }

private:
    static constexpr std::size_t nowhere = std::string::npos;

    [[noreturn]] void fail(std::string message) const {
        throw TemplateFault{std::move(message), false, line_};
    }
    std::string_view rest() const { return std::string_view(source_).substr(at_); }
    void push(Token::Kind kind, std::string text = {}) { tokens_.push_back({kind, std::move(text), line_}); }
    void advance(std::size_t to) {
        line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                             source_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
        at_ = to;
    }

    /// Text up to the next tag, then the tag.
    void next() {
        auto tag = source_.find('{', at_);
        while (tag != nowhere &&
               (tag + 1 == source_.size() || std::string_view("%{#").find(source_[tag + 1]) == nowhere))
            tag = source_.find('{', tag + 1);
        if (tag == nowhere) {
            push(Token::Kind::Data, std::string(rest()));
            return advance(source_.size());
        }
        const char kind = source_[tag + 1];
        const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
        pushData(source_.substr(at_, tag - at_), sign, kind != '{');
        advance(tag + 2 + (sign == '-' || sign == '+' ? 1 : 0));
        if (kind == '#')
            comment();
        else if (kind == '{')
            inside(Token::Kind::PrintBegin, Token::Kind::PrintEnd, "}}");
        else if (!raw())
            inside(Token::Kind::BlockBegin, Token::Kind::BlockEnd, "%}");
    }

    /// The text before a tag, white space taken off as its sign says or as lstrip_blocks does.
    void pushData(std::string text, char sign, bool mayStrip) {
        if (sign == '-') {
            text.resize(stripped(text, Side::Right).size());
        } else if (sign != '+' && mayStrip) {
            const auto newline = text.rfind('\n');
            const auto lineStart = newline == nowhere ? 0 : newline + 1;
            const bool startsLine = lineStart > 0 || at_ == 0 || source_[at_ - 1] == '\n';
            if (startsLine && stripped(std::string_view(text).substr(lineStart), Side::Left).empty())
                text.resize(lineStart);
        }
        if (!text.empty())
            push(Token::Kind::Data, std::move(text));
    }

    /// The end of a tag at `at`: its sign, the mark, and the white space that goes with it. 0 when it is not
    /// there.
    std::size_t tagEnd(std::size_t at, std::string_view mark, bool plusAllowed) const {
        const std::string_view text = std::string_view(source_).substr(at);
        if (text.starts_with("-") && text.substr(1).starts_with(mark)) {
            const auto behind = text.substr(1 + mark.size());
            return at + 1 + mark.size() + (behind.size() - stripped(behind, Side::Left).size());
        }
        if (plusAllowed && text.starts_with("+") && text.substr(1).starts_with(mark))
            return at + 1 + mark.size();
        if (!text.starts_with(mark))
            return 0;
        const bool newline = plusAllowed && text.substr(mark.size()).starts_with("\n"); // trim_blocks
        return at + mark.size() + (newline ? 1 : 0);
    }

    void comment() {
        for (auto at = at_; at < source_.size(); ++at)
            if (const auto end = tagEnd(at, "#}", true))
                return advance(end);
        fail("Missing end of comment tag");
    }

    std::size_t skipSpace(std::size_t at) const {
        const auto text = std::string_view(source_).substr(at);
        return at + (text.size() - stripped(text, Side::Left).size());
    }

    /// {% raw %} ... {% endraw %}; false when the tag is another one.
    bool raw() {
        auto at = skipSpace(at_);
        if (!std::string_view(source_).substr(at).starts_with("raw"))
            return false;
        at = skipSpace(at + 3);
        const auto begin = tagEnd(at, "%}", false);
        if (begin == 0)
            return false;
        advance(begin);
        for (auto tag = source_.find("{%", at_); tag != nowhere; tag = source_.find("{%", tag + 2)) {
            const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
            const auto name = skipSpace(tag + 2 + (sign == '-' || sign == '+' ? 1 : 0));
            if (!std::string_view(source_).substr(name).starts_with("endraw"))
                continue;
            if (const auto end = tagEnd(skipSpace(name + 6), "%}", true)) {
                pushData(source_.substr(at_, tag - at_), sign, true);
                advance(end);
                return true;
            }
        }
        fail("Missing end of raw directive");
    }

    /// The tokens of a tag up to its end mark, which counts only outside brackets.
    void inside(Token::Kind begin, Token::Kind end, std::string_view mark) {
        push(begin);
        std::string open;
        for (;;) {
            advance(skipSpace(at_));
            if (at_ >= source_.size())
                fail("unexpected end of template, expected 'end of " +
                     std::string(end == Token::Kind::PrintEnd ? "print" : "statement") + " statement'.");
            if (open.empty())
                if (const auto behind = tagEnd(at_, mark, mark == "%}")) {
                    push(end);
                    return advance(behind);
                }
            token(open);
        }
    }

    void token(std::string& open) {
        const char c = source_[at_];
        if (c == '"' || c == '\'')
            string(c);
        else if (isDigit(c))
            number();
        else if (isNameStart(characterAt(source_, at_)))
            name();
        else
            operation(open);
    }

    void string(char quote) {
        auto end = at_ + 1;
        while (end < source_.size() && source_[end] != quote)
            end += source_[end] == '\\' ? 2 : 1;
        if (end >= source_.size())
            fail("unexpected char '" + std::string(1, quote) + "'");
        try {
            push(Token::Kind::String,
                 Unescaper(std::string_view(source_).substr(at_ + 1, end - at_ - 1)).run());
        } catch (const TemplateFault& unescaped) {
            fail(unescaped.message);
        }
        advance(end + 1);
    }

    void name() {
        auto end = at_;
        while (end < source_.size() && isNamePart(characterAt(source_, end)))
            end += characterLength(source_, end);
        push(Token::Kind::Name, source_.substr(at_, end - at_));
        advance(end);
    }

    void number() {
        auto end = at_;
        const auto digits = [&] {
            while (end < source_.size() &&
                   (isDigit(source_[end]) ||
                    (source_[end] == '_' && end + 1 < source_.size() && isDigit(source_[end + 1]))))
                ++end;
        };
        const auto digitAt = [&](std::size_t at) { return at < source_.size() && isDigit(source_[at]); };
        if (prefixedInteger())
            return;
        digits();
        bool real = false;
        const bool afterDot = at_ > 0 && source_[at_ - 1] == '.';
        if (!afterDot && end < source_.size() && source_[end] == '.' && digitAt(end + 1)) {
            real = true;
            ++end;
            digits();
        }
        if (!afterDot && end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
            const bool sign =
                end + 1 < source_.size() && (source_[end + 1] == '+' || source_[end + 1] == '-');
            if (digitAt(end + 1 + (sign ? 1 : 0))) {
                real = true;
                end += sign ? 2 : 1;
                digits();
            }
        }
        pushNumber(source_.substr(at_, end - at_), real, 10);
        advance(end);
    }

    bool prefixedInteger() {
        static constexpr std::string_view letters = "xXoObB";
        const auto text = rest();
        const auto kind = text.size() > 2 && text[0] == '0' ? letters.find(text[1]) : nowhere;
        if (kind == nowhere)
            return false;
        std::size_t end = 2;
        while (end < text.size() &&
               (std::isxdigit(static_cast<unsigned char>(text[end])) || text[end] == '_'))
            ++end;
        pushNumber(std::string(text.substr(2, end - 2)), false, kind < 2 ? 16 : kind < 4 ? 8 : 2);
        advance(at_ + end);
        return true;
    }

    void pushNumber(std::string text, bool real, int base) {
        std::erase(text, '_');
        Token token{real ? Token::Kind::Float : Token::Kind::Integer, text, line_};
        const auto* end = text.data() + text.size();
        const auto read = real ? std::from_chars(text.data(), end, token.real)
                               : std::from_chars(text.data(), end, token.integer, base);
        if (read.ec != std::errc() || read.ptr != end)
            fail("the number " + text + " cannot be read");
        tokens_.push_back(std::move(token));
    }

    void operation(std::string& open) {
        static constexpr std::string_view pairs[] = {"//", "**", "==", "!=", ">=", "<="};
        const auto text = rest();
        std::size_t length = 1;
        for (const auto pair : pairs)
            if (text.starts_with(pair))
                length = 2;
        const char c = text[0];
        if (length == 1 && std::string_view("+-/*%~[](){}><=.:|,").find(c) == nowhere)
            fail("unexpected char " + quoted(text.substr(0, characterLength(text, 0))));
        if (c == '(' || c == '[' || c == '{')
            open += c == '(' ? ')' : c == '[' ? ']' : '}';
        else if (c == ')' || c == ']' || c == '}') {
            if (open.empty())
                fail("unexpected '" + std::string(1, c) + "'");
            if (open.back() != c)
                fail("unexpected '" + std::string(1, c) + "', expected '" + open.back() + "'");
            open.pop_back();
        }
        push(Token::Kind::Operator, std::string(text.substr(0, length)));
        advance(at_ + length);
    }

    std::string source_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(normalizedSource(source)).run(); }

} // namespace anneal::jinja
