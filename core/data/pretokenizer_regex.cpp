#include "core/data/pretokenizer_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace anneal {

namespace {

constexpr std::string_view spaceRanges =
    R"(\x{09}-\x{0D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
constexpr std::size_t longestPattern = 1 << 16;

pcre2_code* codeOf(void* code) { return static_cast<pcre2_code*>(code); }

/// What a thread needs to match.
struct MatchState {
    pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
    pcre2_match_context* context = pcre2_match_context_create(nullptr);
    pcre2_jit_stack* stack = pcre2_jit_stack_create(32 << 10, 4 << 20, nullptr);

    MatchState() { pcre2_jit_stack_assign(context, nullptr, stack); }
    ~MatchState() {
        pcre2_match_data_free(data);
        pcre2_match_context_free(context);
        pcre2_jit_stack_free(stack);
    }
    MatchState(const MatchState&) = delete;
    MatchState& operator=(const MatchState&) = delete;
};

MatchState& matchState() {
    thread_local MatchState state;
    return state;
}

} // namespace

std::string pcrePattern(std::string_view pattern) {
    std::string out;
    bool inClass = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c == '\\' && i + 1 < pattern.size()) {
            const char next = pattern[++i];
            if (next == 's')
                out += inClass ? std::string(spaceRanges) : "[" + std::string(spaceRanges) + "]";
            else if (next == 'S')
                out += inClass ? R"(\P{White_Space})" : "[^" + std::string(spaceRanges) + "]";
            else
                out.append({c, next});
            continue;
        }
        if (c == '[')
            inClass = true;
        else if (c == ']')
            inClass = false;
        out += c;
    }
    return out;
}

Result<std::shared_ptr<const SplitRegex>> SplitRegex::compile(std::string_view pattern) {
    if (pattern.size() > longestPattern)
        return invalidInput("A pattern of the tokenizer has " + std::to_string(pattern.size()) +
                            " characters.");
    const auto text = pcrePattern(pattern);
    int error = 0;
    PCRE2_SIZE offset = 0;
    auto* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                               PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error,
                               &offset, nullptr);
    if (!code) {
        PCRE2_UCHAR message[256] = {};
        pcre2_get_error_message(error, message, sizeof message);
        return invalidInput("The tokenizer's pattern " + std::string(pattern) +
                            " cannot be used: " + reinterpret_cast<const char*>(message) + ".");
    }
    const bool jit = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
    return std::shared_ptr<const SplitRegex>(new SplitRegex(code, jit));
}

SplitRegex::~SplitRegex() { pcre2_code_free(codeOf(code_)); }

bool SplitRegex::find(std::string_view text, std::size_t from, TextRange& match) const {
    auto& state = matchState();
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    auto got = jit_ ? pcre2_jit_match(codeOf(code_), subject, text.size(), from, PCRE2_NO_UTF_CHECK,
                                      state.data, state.context)
                    : PCRE2_ERROR_JIT_STACKLIMIT;
    if (got < 0 && got != PCRE2_ERROR_NOMATCH) // no JIT here, or its stack is too small for this match
        got = pcre2_match(codeOf(code_), subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                          state.data, state.context);
    if (got < 0)
        return false;
    const auto* offsets = pcre2_get_ovector_pointer(state.data);
    match = {offsets[0], offsets[1]};
    return true;
}

} // namespace anneal
