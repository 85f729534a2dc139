#include "core/data/chat_template.h"

#include "core/data/jinja_evaluator.h"
#include "core/data/tokenizer_text.h"

namespace anneal {

struct ChatTemplate::Program {
    jinja::Body body;
};

namespace {

constexpr std::size_t longestTemplate = 1 << 20;

std::string atLine(const jinja::TemplateFault& found) {
    return found.line > 0 ? " (line " + std::to_string(found.line) + ")" : "";
}

} // namespace

ChatTemplate::~ChatTemplate() = default;

Result<std::shared_ptr<const ChatTemplate>> ChatTemplate::parse(std::string_view source) {
    if (source.size() > longestTemplate)
        return invalidInput("The chat template has " + std::to_string(source.size()) +
                                " bytes, more than 1 MiB.",
                            "Set data.template to the right file.");
    try {
        auto made = std::make_shared<ChatTemplate>();
        made->program_ = std::make_unique<Program>();
        made->program_->body = jinja::parse(replaceInvalidUtf8(source));
        return std::shared_ptr<const ChatTemplate>(std::move(made));
    } catch (const jinja::TemplateFault& found) {
        return invalidInput("The chat template cannot be read: " + found.message + atLine(found) + ".",
                            "Correct the template, or set data.template to another file.");
    }
}

Result<Rendering> ChatTemplate::render(const RenderContext& context) const {
    try {
        return jinja::Evaluator(context).run(program_->body);
    } catch (const jinja::TemplateFault& found) {
        if (found.raised)
            return invalidInput(
                "The chat template refuses this conversation: " + found.message,
                "Change the row's messages as the template asks, or set data.template to another file.");
        return invalidInput("The chat template fails on this conversation: " + found.message + atLine(found) +
                                ".",
                            "Correct the template, or set data.template to another file.");
    }
}

} // namespace anneal
