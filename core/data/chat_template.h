#pragma once
#include "core/base/json.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// A stretch of rendered text: which message it came from (-1: the template's own text) and whether it lies
/// inside
/// {% generation %}.
struct RenderSpan {
    std::size_t begin, end;
    int message;
    bool generation;
};

struct Rendering {
    std::string text;
    std::vector<RenderSpan> spans;
};

/// What a template sees beside the messages.
struct RenderContext {
    Json messages = Json::array();
    Json tools = nullptr;
    bool add_generation_prompt = false;
    std::string bos_token, eos_token;
    Json extra = Json::object();
};

/// A chat template: Jinja as transformers' sandbox runs it (trim_blocks, lstrip_blocks, loop controls).
class ChatTemplate {
public:
    ~ChatTemplate();
    static Result<std::shared_ptr<const ChatTemplate>> parse(std::string_view source);
    /// raise_exception() becomes an InvalidInput with its text.
    Result<Rendering> render(const RenderContext& context) const;

private:
    struct Program;
    std::unique_ptr<Program> program_;
};

} // namespace anneal
