#include "core/data/chat_encoder.h"

#include "core/base/hash.h"
#include "core/base/text.h"

#include <algorithm>

namespace anneal {

namespace {

/// What must stay on one side of a split: the context, else all that is not an answer.
std::uint64_t groupKeyOf(const ParsedRow& row) {
    if (!row.context.empty())
        return hash64(row.context);
    std::string prompt;
    for (const auto& message : row.messages)
        if (message["role"] != "assistant" && message["content"].is_string())
            prompt += message["content"].get_ref<const std::string&>() + '\n';
    return hash64(prompt);
}

void append(Encoding& to, const Encoding& from, std::size_t offset) {
    to.ids.insert(to.ids.end(), from.ids.begin(), from.ids.end());
    for (std::size_t i = 0; i < from.ids.size(); ++i) {
        to.begins.push_back(from.begins[i] + static_cast<std::uint32_t>(offset));
        to.ends.push_back(from.ends[i] + static_cast<std::uint32_t>(offset));
    }
    to.lostBytes += from.lostBytes;
}

} // namespace

ChatEncoder::ChatEncoder(const RowEncoder& encoder, const ParsedRow& row)
    : encoder_(encoder), row_(encoder.renderer_.withSystemPrompt(row)) {}

RowOutcome ChatEncoder::encode() {
    RowOutcome outcome;
    outcome.groupKey = groupKeyOf(row_);
    if (assistantTurns(row_).empty()) {
        outcome.rejection = {RejectCause::NothingLearned, "The row has no assistant turn to learn from."};
        return outcome;
    }
    outcome.rejection = renderAndTokenize();
    if (outcome.rejection)
        return outcome;
    const auto original = size();
    while (!outcome.rejection && tooLong() && dropExchanges())
        outcome.rejection = renderAndTokenize();
    while (!outcome.rejection && tooLong() && cutPrompt())
        outcome.rejection = tokenize();
    if (outcome.rejection)
        return outcome;
    auto finished = finish(original);
    finished.groupKey = outcome.groupKey;
    return finished;
}

std::optional<Rejection> ChatEncoder::renderAndTokenize() {
    auto rendered = encoder_.renderer_.render(row_);
    if (!rendered)
        return Rejection{RejectCause::Broken, rendered.error().text()};
    rendered_ = *std::move(rendered);
    return tokenize();
}

std::optional<Rejection> ChatEncoder::tokenize() {
    const std::string_view text = rendered_.text;
    encoding_ = encoder_.plainEncode(text, rendered_.addSpecial);
    const auto whole = encoding_.ids;
    std::size_t pieceBegin = 0;
    while (const auto seam = findSeam(pieceBegin)) {
        const auto lost = encoding_.lostBytes;
        const auto kept = pieceBegin == 0 ? 0 : tokenAt(pieceBegin);
        for (auto* values : {&encoding_.begins, &encoding_.ends})
            values->resize(kept);
        encoding_.ids.resize(kept);
        append(encoding_,
               encoder_.plainEncode(text.substr(pieceBegin, *seam - pieceBegin),
                                    rendered_.addSpecial && pieceBegin == 0),
               pieceBegin);
        append(encoding_, encoder_.plainEncode(text.substr(*seam), false), *seam);
        encoding_.lostBytes = lost;
        pieceBegin = *seam;
    }
    if (pieceBegin > 0 &&
        encoder_.tokenizer().decode(encoding_.ids, false) != encoder_.tokenizer().decode(whole, false))
        return Rejection{RejectCause::Broken,
                         "A token of this tokenizer spans the end of the prompt and the start of the answer, "
                         "and the row cannot be split there without changing its text. Let the prompt end "
                         "and the answer begin without spaces."};
    label();
    return std::nullopt;
}

/// The next answer whose prompt would be tokenized otherwise on its own.
std::optional<std::size_t> ChatEncoder::findSeam(std::size_t pieceBegin) const {
    for (const auto& answer : rendered_.answers) {
        const auto seam = answer.bytes.begin;
        if (seam <= pieceBegin || seam >= rendered_.text.size())
            continue;
        const auto token = tokenAt(seam);
        const bool straddles = token > 0 && encoding_.ends[token - 1] > seam;
        if (straddles || !bordersAgree(seam, token, pieceBegin))
            return seam;
    }
    return std::nullopt;
}

/// Whether the text before the seam has the same tokens on its own. Control tokens split a text for good, so
/// what stands before the last of them need not be tokenized again.
bool ChatEncoder::bordersAgree(std::size_t seam, std::size_t token, std::size_t pieceBegin) const {
    const auto firstOfPiece = pieceBegin == 0 ? 0 : tokenAt(pieceBegin);
    auto from = token;
    while (from > firstOfPiece && !(encoder_.isSpecial(encoding_.ids[from - 1]) &&
                                    encoding_.begins[from - 1] < encoding_.ends[from - 1]))
        --from;
    if (from > firstOfPiece)
        --from;
    if (from == token)
        return true;
    const bool start = from == 0;
    const auto begin = start ? 0 : std::size_t{encoding_.begins[from]};
    const auto alone = encoder_.plainEncode(std::string_view(rendered_.text).substr(begin, seam - begin),
                                            start && rendered_.addSpecial);
    return std::ranges::equal(alone.ids, std::span(encoding_.ids).subspan(from, token - from));
}

std::size_t ChatEncoder::tokenAt(std::size_t byte) const {
    // Tokens that were added (BOS) have an empty range at the start.
    std::size_t first = 0;
    while (first < encoding_.ids.size() && encoding_.begins[first] == encoding_.ends[first] &&
           encoding_.ends[first] == 0)
        ++first;
    const auto begin = encoding_.begins.begin() + static_cast<std::ptrdiff_t>(first);
    return static_cast<std::size_t>(std::lower_bound(begin, encoding_.begins.end(), byte) -
                                    encoding_.begins.begin());
}

ChatEncoder::AnswerTokens ChatEncoder::answerTokens(const AnswerRange& answer) const {
    AnswerTokens tokens{tokenAt(answer.bytes.begin), tokenAt(answer.bytes.end)};
    const auto& ids = encoding_.ids;
    if (answer.marked) { // an end marker beside the mark belongs to the answer
        if (tokens.end < ids.size() && encoder_.isSpecial(ids[tokens.end]) &&
            encoding_.begins[tokens.end] == answer.bytes.end &&
            (tokens.end == tokens.begin || !encoder_.isSpecial(ids[tokens.end - 1])))
            ++tokens.end;
        return tokens;
    }
    // What the template writes after the end marker is never asked of the model.
    const auto reversed = std::find_if(ids.rend() - static_cast<std::ptrdiff_t>(tokens.end),
                                       ids.rend() - static_cast<std::ptrdiff_t>(tokens.begin),
                                       [&](auto id) { return encoder_.isSpecial(id); });
    const auto marker = static_cast<std::size_t>(ids.rend() - reversed);
    if (marker > tokens.begin) {
        const auto markerEnd = std::size_t{encoding_.ends[marker - 1]};
        if (trim(std::string_view(rendered_.text)
                     .substr(markerEnd, answer.bytes.end - std::min(markerEnd, answer.bytes.end)))
                .empty())
            tokens.end = marker;
    }
    return tokens;
}

bool ChatEncoder::endsWithoutMarker(const AnswerRange& answer, const AnswerTokens& tokens) const {
    const bool marked = tokens.end > tokens.begin && encoder_.isSpecial(encoding_.ids[tokens.end - 1]);
    const bool last = trim(std::string_view(rendered_.text).substr(answer.bytes.end)).empty();
    return last && !marked && encoder_.tokenizer().eosId() >= 0;
}

void ChatEncoder::label() {
    trained_.assign(encoding_.ids.size(), encoder_.learnAll_);
    addEos_ = eosTrained_ = false;
    for (const auto& answer : rendered_.answers) {
        const auto tokens = answerTokens(answer);
        if (answer.learned)
            std::fill(trained_.begin() + static_cast<std::ptrdiff_t>(tokens.begin),
                      trained_.begin() + static_cast<std::ptrdiff_t>(tokens.end), true);
        if (endsWithoutMarker(answer, tokens)) {
            addEos_ = true;
            eosTrained_ = answer.learned || encoder_.learnAll_;
        }
    }
}

} // namespace anneal
