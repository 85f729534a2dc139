#include "core/data/text_metrics.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <map>

namespace anneal {

namespace {

using Score = double (*)(std::string_view answer, std::string_view reference);

constexpr std::array<std::pair<std::string_view, Score>, 4> scores = {
    {{"f1", tokenF1},
     {"exact_match", [](std::string_view a, std::string_view r) { return exactMatch(a, r) ? 1.0 : 0.0; }},
     {"citation", [](std::string_view a, std::string_view r) { return citationMatches(a, r) ? 1.0 : 0.0; }},
     {"rouge_l", rougeL}}};

constexpr std::string_view bleuName = "bleu";

Score scoreNamed(std::string_view name) {
    const auto found = std::ranges::find(scores, name, &std::pair<std::string_view, Score>::first);
    return found == scores.end() ? nullptr : found->second;
}

bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool isPunctuation(char c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> found(1);
    for (const char c : text)
        if (!isSpace(c))
            found.back() += c;
        else if (!found.back().empty())
            found.emplace_back();
    if (found.back().empty())
        found.pop_back();
    return found;
}

/// Words as SQuAD compares them. Letters beyond ASCII keep their case.
std::vector<std::string> normalizedWords(std::string_view text) {
    std::string kept = lowerAscii(text);
    std::erase_if(kept, isPunctuation);
    auto all = words(kept);
    std::erase_if(all, [](const std::string& word) { return word == "a" || word == "an" || word == "the"; });
    return all;
}

std::string joined(const std::vector<std::string>& parts) { return join(parts, " "); }

} // namespace

double tokenF1(std::string_view answer, std::string_view reference) {
    const auto given = normalizedWords(answer), wanted = normalizedWords(reference);
    if (given.empty() || wanted.empty())
        return given.empty() && wanted.empty() ? 1.0 : 0.0;
    std::map<std::string, int> left;
    for (const auto& word : wanted)
        ++left[word];
    double common = 0;
    for (const auto& word : given)
        if (const auto found = left.find(word); found != left.end() && found->second-- > 0)
            ++common;
    const double precision = common / static_cast<double>(given.size()),
                 recall = common / static_cast<double>(wanted.size());
    return common == 0 ? 0 : 2 * precision * recall / (precision + recall);
}

bool exactMatch(std::string_view answer, std::string_view reference) {
    return normalizedWords(answer) == normalizedWords(reference);
}

std::string lastCitation(std::string_view answer) {
    const auto end = answer.rfind(']');
    if (end == std::string_view::npos)
        return {};
    const auto begin = answer.rfind('[', end);
    if (begin == std::string_view::npos)
        return {};
    return joined(words(answer.substr(begin + 1, end - begin - 1)));
}

bool citationMatches(std::string_view answer, std::string_view reference) {
    const auto wanted = lastCitation(reference);
    return !wanted.empty() && lastCitation(answer) == wanted;
}

bool isGenerationMetric(std::string_view name) { return name == bleuName || scoreNamed(name) != nullptr; }

TextScores::TextScores(const std::vector<std::string>& metrics) {
    std::ranges::copy_if(metrics, std::back_inserter(metrics_), isGenerationMetric);
    sums_.resize(metrics_.size(), 0);
}

void TextScores::add(std::string_view answer, std::string_view reference) {
    for (std::size_t i = 0; i < metrics_.size(); ++i)
        if (const auto score = scoreNamed(metrics_[i]))
            sums_[i] += score(answer, reference);
    bleu_.add(answer, reference);
    ++count_;
}

Json TextScores::means() const {
    Json means = Json::object();
    for (std::size_t i = 0; i < metrics_.size(); ++i)
        means[metrics_[i]] = count_ == 0               ? 0.0
                             : metrics_[i] == bleuName ? bleu_.score()
                                                       : sums_[i] / static_cast<double>(count_);
    means["answers"] = count_;
    return means;
}

} // namespace anneal
