#include "core/base/text.h"
#include "core/data/chat_encoder.h"

#include <algorithm>

namespace anneal {

namespace {

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The nearest start of a word from `at` on towards `limit`; `at` itself when there is none near.
std::size_t wordBorder(std::string_view text, std::size_t at, std::size_t limit, int direction) {
    constexpr std::size_t searched = 24;
    for (std::size_t i = 0, place = at; i < searched && place != limit;
         ++i, place += static_cast<std::size_t>(direction))
        if (place > 0 && (text[place - 1] == ' ' || text[place - 1] == '\n'))
            return place;
    return at;
}

bool isPreamble(const Json& message) { return message["role"] == "system" || message["role"] == "developer"; }

/// Keeps turns [begin, end) of a row, and its system turn.
void keepTurns(ParsedRow& row, std::size_t begin, std::size_t end) {
    Json messages = Json::array();
    std::vector<bool> ignored;
    for (std::size_t i = 0; i < row.messages.size(); ++i)
        if ((i == 0 && isPreamble(row.messages[i])) || (i >= begin && i < end)) {
            messages.push_back(row.messages[i]);
            ignored.push_back(row.ignored[i]);
        }
    row.messages = std::move(messages);
    row.ignored = std::move(ignored);
}

} // namespace

/// Drops whole exchanges while there is more than one; returns whether any went.
bool ChatEncoder::dropExchanges() {
    const auto turns = assistantTurns(row_);
    const auto& answers = rendered_.answers;
    if (turns.size() < 2 || turns.size() != answers.size())
        return false;
    const auto endOf = [&](std::size_t answer) { return tokenAt(answers[answer].bytes.end); };
    if (encoder_.learnLast_ || !answers.front().learned) { // what is learned stands at the end
        std::size_t dropped = 1;
        while (dropped + 1 < turns.size() && size() - endOf(dropped - 1) > encoder_.maxLength_)
            ++dropped;
        keepTurns(row_, turns[dropped - 1] + 1, row_.messages.size());
        return true;
    }
    std::size_t kept = 1;
    while (kept < turns.size() && endOf(kept) <= encoder_.maxLength_)
        ++kept;
    if (turns[kept - 1] + 1 == row_.messages.size())
        return false;
    keepTurns(row_, 0, turns[kept - 1] + 1);
    return true;
}

std::size_t ChatEncoder::promptTokens() const {
    return rendered_.answers.empty() ? size() : tokenAt(rendered_.answers.back().bytes.begin);
}

/// How many tokens the prompt should lose: all that is too much when that saves the answer, else so many that
/// the answer has at least half of the room.
std::size_t ChatEncoder::wantedCut() const {
    std::size_t cuttable = 0;
    for (const auto& range : rendered_.cuttable) {
        const auto tokens = tokensIn(range.bytes);
        cuttable += tokens - std::min(tokens, range.keptTokens);
    }
    const auto excess = size() - encoder_.maxLength_;
    if (excess <= cuttable)
        return excess;
    const auto prompt = promptTokens(), half = encoder_.maxLength_ / 2;
    return prompt > half ? std::min(cuttable, prompt - half) : 0;
}

/// The bytes of `tokens` tokens in the middle of a range, widened to borders of words, or of characters in
/// long words.
ByteRange ChatEncoder::middleOf(const CuttableRange& range, std::size_t tokens) const {
    const auto first = tokenAt(range.bytes.begin), count = tokensIn(range.bytes);
    const auto head = first + (count - tokens + 1) / 2;
    ByteRange bytes{encoding_.begins[head], encoding_.ends[head + tokens - 1]};
    const auto& text = rendered_.text;
    while (bytes.begin > range.bytes.begin && isContinuation(text[bytes.begin]))
        --bytes.begin;
    while (bytes.end < range.bytes.end && isContinuation(text[bytes.end]))
        ++bytes.end;
    bytes.end = std::min(bytes.end, range.bytes.end);
    return {wordBorder(text, bytes.begin, range.bytes.begin, -1),
            wordBorder(text, bytes.end, range.bytes.end, 1)};
}

void ChatEncoder::erase(const ByteRange& bytes) {
    const auto length = bytes.end - bytes.begin;
    rendered_.text.erase(bytes.begin, length);
    const auto moved = [&](std::size_t at) {
        return at >= bytes.end ? at - length : std::min(at, bytes.begin);
    };
    const auto move = [&](ByteRange& range) { range = {moved(range.begin), moved(range.end)}; };
    for (auto& answer : rendered_.answers)
        move(answer.bytes);
    for (auto& range : rendered_.cuttable)
        move(range.bytes);
}

/// Takes tokens out of the prompt's text; returns false when there is nothing left to take.
bool ChatEncoder::cutPrompt() {
    auto wanted = wantedCut();
    std::vector<ByteRange> cuts;
    for (const auto& range : rendered_.cuttable) {
        const auto tokens = tokensIn(range.bytes);
        const auto taken = std::min(wanted, tokens - std::min(tokens, range.keptTokens));
        if (taken == 0)
            continue;
        cuts.push_back(middleOf(range, taken));
        wanted -= taken;
    }
    std::ranges::sort(cuts, std::ranges::greater{}, &ByteRange::begin);
    std::size_t bytes = 0;
    for (const auto& cut : cuts) {
        bytes += cut.end - std::min(cut.begin, cut.end);
        erase(cut);
    }
    return bytes > 0;
}

EncodedRow ChatEncoder::encodedRow() const {
    EncodedRow row;
    for (std::size_t i = 0; i < encoding_.ids.size(); ++i)
        row.tokens.push_back(static_cast<std::uint32_t>(encoding_.ids[i]) |
                             (trained_[i] ? supervisedBit : 0));
    if (addEos_)
        row.tokens.push_back(static_cast<std::uint32_t>(encoder_.tokenizer().eosId()) |
                             (eosTrained_ ? supervisedBit : 0));
    row.lostBytes = encoding_.lostBytes;
    const auto answer = std::find_if(rendered_.answers.rbegin(), rendered_.answers.rend(),
                                     [](const auto& a) { return a.learned; });
    if (answer != rendered_.answers.rend())
        row.answerBegin = tokenAt(answer->bytes.begin);
    return row;
}

void ChatEncoder::addTexts(EncodedRow& row) const {
    const bool endCut = row.tokens.size() < encoding_.ids.size();
    row.text = endCut ? rendered_.text.substr(0, encoding_.ends[row.tokens.size() - 1]) : rendered_.text;
    const auto turns = assistantTurns(row_);
    for (std::size_t i = rendered_.answers.size(); i-- > 0;)
        if (rendered_.answers[i].learned) {
            row.prompt = rendered_.text.substr(0, rendered_.answers[i].bytes.begin);
            if (turns.size() == rendered_.answers.size() && row_.messages[turns[i]]["content"].is_string())
                row.answer = row_.messages[turns[i]]["content"];
            return;
        }
}

Rejection ChatEncoder::nothingLearned(std::size_t originalSize) const {
    if (originalSize <= encoder_.maxLength_)
        return {RejectCause::NothingLearned,
                "Every label is masked: all its assistant turns are marked as context."};
    return {RejectCause::TooLong,
            "The part of its prompt that cannot be cut has " + std::to_string(promptTokens()) +
                " tokens, which leaves none of max_length = " + std::to_string(encoder_.maxLength_) +
                " to the answer."};
}

RowOutcome ChatEncoder::finish(std::size_t originalSize) const {
    RowOutcome outcome;
    auto row = encodedRow();
    if (row.tokens.size() > encoder_.maxLength_)
        row.tokens.resize(encoder_.maxLength_);
    row.truncatedTokens = static_cast<std::int64_t>(originalSize - std::min(originalSize, row.tokens.size()));
    const auto predicted = std::span(row.tokens).subspan(std::min<std::size_t>(1, row.tokens.size()));
    if (std::ranges::none_of(predicted, isSupervised)) {
        outcome.rejection = nothingLearned(originalSize);
        return outcome;
    }
    if (encoder_.keepTexts_)
        addTexts(row);
    outcome.rows.push_back(std::move(row));
    return outcome;
}

} // namespace anneal
