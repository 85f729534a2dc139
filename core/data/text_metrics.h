#pragma once
#include "core/base/json.h"
#include "core/data/overlap_metrics.h"

#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// SQuAD's normalisation and scores: lower case, ASCII punctuation dropped, then a/an/the, spaces collapsed.
double tokenF1(std::string_view answer, std::string_view reference);
bool exactMatch(std::string_view answer, std::string_view reference);

/// The text of the last [...] of an answer, inner spaces collapsed; empty when there is none.
std::string lastCitation(std::string_view answer);
/// Both name the same citation, and there is one.
bool citationMatches(std::string_view answer, std::string_view reference);

/// Metrics of evaluation.metrics that need generated answers: f1, exact_match, citation, rouge_l, bleu.
bool isGenerationMetric(std::string_view name);

/// Collects scores of answers and gives their means under the names of the metrics.
class TextScores {
public:
    explicit TextScores(const std::vector<std::string>& metrics);
    void add(std::string_view answer, std::string_view reference);
    /// {"f1": 0.41, "citation": 0.8, "answers": 48}
    Json means() const;

private:
    std::vector<std::string> metrics_;
    std::vector<double> sums_;
    Bleu bleu_; ///< pooled over the answers, not a mean
    std::int64_t count_ = 0;
};

} // namespace anneal
