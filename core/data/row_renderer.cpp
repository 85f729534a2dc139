#include "core/data/row_renderer.h"

#include "core/base/text.h"

#include <algorithm>

namespace anneal {

namespace {

/// Tokens of a question that stay when it is cut: its head and tail still say what is asked.
constexpr std::size_t keptQuestionTokens = 8;

const std::string& roleOf(const Json& message) { return message["role"].get_ref<const std::string&>(); }

bool isSystemTurn(const Json& message) {
    return roleOf(message) == "system" || roleOf(message) == "developer";
}

std::string contentOf(const Json& message) {
    return message["content"].is_string() ? message["content"].get<std::string>() : std::string();
}

std::string pieceOf(const Tokenizer& tokenizer, std::int32_t id) {
    return id < 0 ? "" : tokenizer.idToPiece(id);
}

std::size_t commonPrefix(std::string_view a, std::string_view b) {
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// Finds the contents of the prompt's turns again, in their order (a template may trim them), and lists what
/// may be cut.
std::vector<CuttableRange> findCuttable(const ParsedRow& row, std::string_view text) {
    std::vector<CuttableRange> contexts, questions, systems;
    std::size_t cursor = 0;
    for (const auto& message : row.messages) {
        const auto content = contentOf(message);
        const auto wanted = trim(content);
        const auto at = wanted.empty() ? std::string_view::npos : text.find(wanted, cursor);
        if (at == std::string_view::npos)
            continue;
        ByteRange range{at, at + wanted.size()};
        cursor = range.end;
        const auto context = row.context.empty() ? std::string_view::npos : wanted.find(row.context);
        if (roleOf(message) == "user" && context != std::string_view::npos) {
            contexts.push_back({{at + context, at + context + row.context.size()}, 0});
            range.begin = at + context + row.context.size();
        }
        if (isSystemTurn(message))
            systems.push_back({range, 0});
        else if (roleOf(message) != "assistant")
            questions.push_back({range, keptQuestionTokens});
    }
    contexts.insert(contexts.end(), questions.begin(), questions.end());
    contexts.insert(contexts.end(), systems.begin(), systems.end());
    return contexts;
}

/// The {% generation %} marks, touching ones joined, with the message of the first.
std::vector<RenderSpan> joinedMarks(const std::vector<RenderSpan>& spans) {
    std::vector<RenderSpan> marks;
    for (const auto& span : spans) {
        if (!span.generation || span.begin == span.end)
            continue;
        if (!marks.empty() && marks.back().end == span.begin)
            marks.back().end = span.end;
        else
            marks.push_back(span);
    }
    return marks;
}

} // namespace

std::vector<std::size_t> assistantTurns(const ParsedRow& row) {
    std::vector<std::size_t> turns;
    for (std::size_t i = 0; i < row.messages.size(); ++i)
        if (roleOf(row.messages[i]) == "assistant")
            turns.push_back(i);
    return turns;
}

RowRenderer::RowRenderer(const Tokenizer& tokenizer, const ChatTemplate* chatTemplate,
                         const DataSettings& data)
    : chatTemplate_(chatTemplate), systemPrompt_(data.system_prompt), lossOn_(data.loss_on),
      bosText_(pieceOf(tokenizer, tokenizer.bosId())), eosText_(pieceOf(tokenizer, tokenizer.eosId())) {}

ParsedRow RowRenderer::withSystemPrompt(ParsedRow row) const {
    if (systemPrompt_.empty() || (!row.messages.empty() && isSystemTurn(row.messages[0])))
        return row;
    row.messages.insert(row.messages.begin(), Json{{"role", "system"}, {"content", systemPrompt_}});
    row.ignored.insert(row.ignored.begin(), false);
    return row;
}

Result<RenderedRow> RowRenderer::render(const ParsedRow& row) const {
    if (!chatTemplate_)
        return joinTurns(row);
    ANNEAL_TRY(auto rendering, renderTurns(row, row.messages.size(), false));
    RenderedRow rendered;
    ANNEAL_CHECK(findAnswers(row, rendering, rendered));
    rendered.text = std::move(rendering.text);
    rendered.cuttable = findCuttable(row, rendered.text);
    return rendered;
}

Result<RenderedRow> RowRenderer::renderPrompt(const Json& messages, const Json& tools) const {
    ParsedRow row;
    row.messages = messages;
    row.tools = tools;
    row.plain = messages.size() == 1; // a lone prompt is taken as it is
    row.ignored.resize(messages.size(), false);
    row = withSystemPrompt(std::move(row));
    if (!chatTemplate_)
        return joinTurns(row);
    ANNEAL_TRY(auto rendering, renderTurns(row, row.messages.size(), true));
    RenderedRow rendered;
    rendered.text = std::move(rendering.text);
    return rendered;
}

Result<Rendering> RowRenderer::renderTurns(const ParsedRow& row, std::size_t count,
                                           bool generationPrompt) const {
    RenderContext context;
    context.messages = row.messages;
    context.messages.erase(context.messages.begin() + static_cast<std::ptrdiff_t>(count),
                           context.messages.end());
    context.tools = row.tools;
    context.add_generation_prompt = generationPrompt;
    context.bos_token = bosText_;
    context.eos_token = eosText_;
    return chatTemplate_->render(context);
}

RenderedRow RowRenderer::joinTurns(const ParsedRow& row) const {
    RenderedRow rendered;
    rendered.addSpecial = true;
    for (std::size_t i = 0; i < row.messages.size(); ++i) {
        const bool last = i + 1 == row.messages.size(), answer = roleOf(row.messages[i]) == "assistant";
        const auto begin = rendered.text.size();
        rendered.text += contentOf(row.messages[i]);
        if (answer && !last)
            rendered.text += eosText_;
        if (answer)
            rendered.answers.push_back({{begin, rendered.text.size()}, true, false});
        if (!last && !(row.plain && !isSystemTurn(row.messages[i])))
            rendered.text += '\n';
    }
    rendered.cuttable = findCuttable(row, rendered.text);
    chooseLearned(row, rendered);
    return rendered;
}

Status RowRenderer::findAnswers(const ParsedRow& row, const Rendering& rendering,
                                RenderedRow& rendered) const {
    const auto turns = assistantTurns(row);
    const auto marks = joinedMarks(rendering.spans);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const auto turn = marks.size() == turns.size() ? static_cast<int>(turns[i]) : marks[i].message;
        const bool ignored = turn >= 0 && row.ignored[static_cast<std::size_t>(turn)];
        rendered.answers.push_back({{marks[i].begin, marks[i].end}, !ignored, true});
    }
    if (marks.empty())
        for (const auto turn : turns) {
            ANNEAL_TRY(const auto answer, findAnswer(row, turn, rendering.text));
            rendered.answers.push_back(answer);
        }
    chooseLearned(row, rendered);
    return {};
}

Result<AnswerRange> RowRenderer::findAnswer(const ParsedRow& row, std::size_t turn,
                                            std::string_view text) const {
    ANNEAL_TRY(const auto before, renderTurns(row, turn, true));
    ByteRange bytes{commonPrefix(before.text, text), text.size()};
    if (turn + 1 < row.messages.size()) {
        ANNEAL_TRY(const auto upTo, renderTurns(row, turn + 1, false));
        bytes.end = commonPrefix(upTo.text, text);
    }
    // A generation prompt may hold more than the turn itself gets (an empty thought); then the content says
    // where it is.
    const auto content = contentOf(row.messages[turn]);
    const auto wanted = trim(content);
    if (bytes.begin < before.text.size() && !wanted.empty()) {
        const auto at = text.find(wanted, bytes.begin > 0 ? bytes.begin - 1 : 0);
        bytes.begin = at == std::string_view::npos ? bytes.end : at;
    }
    if (bytes.begin > bytes.end || bytes.end - bytes.begin < wanted.size())
        return invalidInput(
            "The chat template renders turn " + std::to_string(turn + 1) +
                " differently once more turns follow, so that its answer cannot be told apart.",
            "Give each row one answer, or mark answers in the template with {% generation %}.");
    return AnswerRange{bytes, !row.ignored[turn], false};
}

void RowRenderer::chooseLearned(const ParsedRow& row, RenderedRow& rendered) const {
    const auto turns = assistantTurns(row);
    if (turns.size() == rendered.answers.size())
        for (std::size_t i = 0; i < turns.size(); ++i)
            rendered.answers[i].learned = !row.ignored[turns[i]];
    if (lossOn_ != "last")
        return;
    const auto last = std::find_if(rendered.answers.rbegin(), rendered.answers.rend(),
                                   [](const AnswerRange& answer) { return answer.learned; });
    for (auto& answer : rendered.answers)
        answer.learned = last != rendered.answers.rend() && &answer == &*last;
}

} // namespace anneal
