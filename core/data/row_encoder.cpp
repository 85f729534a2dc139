#include "core/data/row_encoder.h"

#include "core/base/hash.h"
#include "core/data/chat_encoder.h"

#include <algorithm>

namespace anneal {

namespace {

/// Tokens of a pre-tokenized prompt that stay at either end when it is cut.
constexpr std::size_t keptPromptTokens = 8;

/// Control tokens are those that vanish when special tokens are skipped.
std::vector<bool> findSpecial(const Tokenizer& tokenizer) {
    std::vector<bool> special(static_cast<std::size_t>(std::max(0, tokenizer.vocabularySize())), false);
    for (std::int32_t id = 0; id < tokenizer.vocabularySize(); ++id) {
        const std::int32_t ids[] = {id};
        special[static_cast<std::size_t>(id)] =
            tokenizer.decode(ids, true).empty() && !tokenizer.decode(ids, false).empty();
    }
    for (const auto id : {tokenizer.bosId(), tokenizer.eosId()})
        if (id >= 0 && static_cast<std::size_t>(id) < special.size())
            special[static_cast<std::size_t>(id)] = true;
    return special;
}

std::uint64_t hashTokens(std::span<const std::uint32_t> tokens) {
    return hash64({reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes()});
}

bool anyLearned(std::span<const std::uint32_t> tokens) {
    return tokens.size() > 1 && std::ranges::any_of(tokens.subspan(1), isSupervised);
}

RowOutcome rejected(RejectCause cause, std::string reason) {
    RowOutcome outcome;
    outcome.rejection = Rejection{cause, std::move(reason)};
    return outcome;
}

/// Sizes of the blocks of a text: full ones and a rest, which is never a single token, as that could not be
/// learned.
std::vector<std::size_t> blockSizes(std::size_t tokens, std::size_t maxLength) {
    std::vector<std::size_t> sizes(tokens / maxLength, maxLength);
    if (tokens % maxLength > 0)
        sizes.push_back(tokens % maxLength);
    if (sizes.size() > 1 && sizes.back() == 1) {
        --sizes[sizes.size() - 2];
        ++sizes.back();
    }
    return sizes;
}

} // namespace

RowEncoder::RowEncoder(std::shared_ptr<const Tokenizer> tokenizer,
                       std::shared_ptr<const ChatTemplate> chatTemplate, const DataSettings& data,
                       bool keepTexts)
    : tokenizer_(std::move(tokenizer)), chatTemplate_(std::move(chatTemplate)),
      renderer_(*tokenizer_, chatTemplate_.get(), data),
      maxLength_(static_cast<std::size_t>(data.max_length)), learnAll_(data.loss_on == "all"),
      learnLast_(data.loss_on == "last"), keepTexts_(keepTexts), special_(findSpecial(*tokenizer_)) {}

RowOutcome RowEncoder::encode(const ParsedRow& row, const RawRecord& record) const {
    switch (row.kind) {
    case ParsedRow::Kind::Chat: return ChatEncoder(*this, row).encode();
    case ParsedRow::Kind::Text: return encodeText(row, record);
    case ParsedRow::Kind::Tokens: break;
    }
    return encodeTokens(row);
}

Encoding encodeOpen(const Tokenizer& tokenizer, std::string_view text, bool addSpecial) {
    auto encoding = tokenizer.encode(text, addSpecial);
    while (addSpecial && !encoding.ids.empty() && encoding.ids.back() == tokenizer.eosId() &&
           encoding.begins.back() == encoding.ends.back()) {
        encoding.ids.pop_back();
        encoding.begins.pop_back();
        encoding.ends.pop_back();
    }
    return encoding;
}

RowOutcome RowEncoder::encodeText(const ParsedRow& row, const RawRecord& record) const {
    auto encoding = plainEncode(row.text, record.first);
    const bool ended = !encoding.ids.empty() && encoding.ids.back() == tokenizer_->eosId();
    if (record.last && tokenizer_->eosId() >= 0 && !ended) {
        encoding.ids.push_back(tokenizer_->eosId());
        encoding.begins.push_back(static_cast<std::uint32_t>(row.text.size()));
        encoding.ends.push_back(static_cast<std::uint32_t>(row.text.size()));
    }
    if (encoding.ids.size() < 2)
        return rejected(RejectCause::NothingLearned,
                        "The text has a single token, which nothing comes before.");
    RowOutcome outcome;
    outcome.groupKey = hash64(row.text);
    std::size_t at = 0;
    for (const auto size : blockSizes(encoding.ids.size(), maxLength_)) {
        EncodedRow block;
        for (auto i = at; i < at + size; ++i)
            block.tokens.push_back(static_cast<std::uint32_t>(encoding.ids[i]) | supervisedBit);
        if (keepTexts_)
            block.text =
                row.text.substr(encoding.begins[at], encoding.ends[at + size - 1] - encoding.begins[at]);
        outcome.rows.push_back(std::move(block));
        at += size;
    }
    outcome.rows.front().lostBytes = encoding.lostBytes;
    return outcome;
}

RowOutcome RowEncoder::encodeTokens(const ParsedRow& row) const {
    EncodedRow encoded;
    for (std::size_t i = 0; i < row.ids.size(); ++i) {
        if (row.ids[i] >= tokenizer_->vocabularySize())
            return rejected(RejectCause::Broken,
                            "The token id " + std::to_string(row.ids[i]) + " at position " +
                                std::to_string(i) + " is not in the vocabulary of " +
                                std::to_string(tokenizer_->vocabularySize()) + " tokens.");
        encoded.tokens.push_back(static_cast<std::uint32_t>(row.ids[i]) |
                                 (row.trained[i] ? supervisedBit : 0));
    }
    if (!anyLearned(encoded.tokens))
        return rejected(RejectCause::NothingLearned, "Every label is masked (-100).");
    RowOutcome outcome;
    outcome.groupKey = hashTokens(encoded.tokens);
    if (encoded.tokens.size() > maxLength_) {
        const auto excess = encoded.tokens.size() - maxLength_;
        const auto prompt = static_cast<std::size_t>(std::ranges::find_if(encoded.tokens, isSupervised) -
                                                     encoded.tokens.begin());
        const auto cut = prompt > 2 * keptPromptTokens ? std::min(excess, prompt - 2 * keptPromptTokens) : 0;
        const auto from = encoded.tokens.begin() + static_cast<std::ptrdiff_t>((prompt - cut) / 2);
        encoded.tokens.erase(from, from + static_cast<std::ptrdiff_t>(cut));
        encoded.tokens.resize(maxLength_);
        encoded.truncatedTokens = static_cast<std::int64_t>(excess);
        if (!anyLearned(encoded.tokens))
            return rejected(RejectCause::TooLong, "Its prompt has " + std::to_string(prompt) +
                                                      " tokens, which leaves none of max_length = " +
                                                      std::to_string(maxLength_) + " to the answer.");
    }
    const auto& tokens = encoded.tokens;
    const auto lastLearned = std::find_if(tokens.rbegin(), tokens.rend(), isSupervised);
    const auto answer = std::find_if_not(lastLearned, tokens.rend(), isSupervised);
    encoded.answerBegin = static_cast<std::size_t>(tokens.rend() - answer);
    if (keepTexts_) {
        std::vector<std::int32_t> ids;
        std::ranges::transform(tokens, std::back_inserter(ids),
                               [](auto token) { return static_cast<std::int32_t>(tokenId(token)); });
        const auto split = static_cast<std::ptrdiff_t>(encoded.answerBegin);
        encoded.text = tokenizer_->decode(ids, false);
        encoded.prompt = tokenizer_->decode({ids.begin(), ids.begin() + split}, false);
        encoded.answer = tokenizer_->decode({ids.begin() + split, ids.end()}, true);
    }
    outcome.rows.push_back(std::move(encoded));
    return outcome;
}

} // namespace anneal
