#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// BLEU of a corpus as sacrebleu has it by default: tokens of mteval-13a with case, n-grams to 4 pooled over
/// all answers, brevity penalty, and for the k-th order without a match 100 / (2^k total) (smoothing "exp").
class Bleu {
public:
    void add(std::string_view answer, std::string_view reference);
    /// 0 to 100. `effectiveOrder` leaves out orders that an answer is too short for, as for single sentences.
    double score(bool effectiveOrder = false) const;

private:
    static constexpr std::size_t orders = 4;
    std::array<std::int64_t, orders> matches_{}, totals_{};
    std::int64_t answerWords_ = 0, referenceWords_ = 0;
};

/// The words of mteval-13a.
std::vector<std::string> bleuWords(std::string_view text);

/// F1 of the longest common subsequence of words, 0 to 1, as rouge_score has it without stemming: lower case,
/// all but a-z and 0-9 are borders.
double rougeL(std::string_view answer, std::string_view reference);

} // namespace anneal
