#include "core/data/overlap_metrics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace anneal {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Symbols that always stand alone: ASCII without letters, digits, apostrophe, comma, hyphen and point.
bool isSymbol(char c) {
    return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
           (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::vector<std::string> splitAtSpaces(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : text)
        if (c != ' ' && !(c >= '\t' && c <= '\r'))
            words.back() += c;
        else if (!words.back().empty())
            words.emplace_back();
    if (words.back().empty())
        words.pop_back();
    return words;
}

using Counts = std::map<std::string, std::int64_t>;

Counts ngrams(const std::vector<std::string>& words, std::size_t order) {
    Counts counts;
    for (std::size_t i = 0; i + order <= words.size(); ++i) {
        std::string ngram;
        for (std::size_t k = 0; k < order; ++k)
            ngram += words[i + k] + ' ';
        ++counts[ngram];
    }
    return counts;
}

std::vector<std::string> rougeWords(std::string_view text) {
    std::string kept;
    for (const char c : text) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        kept += (lower >= 'a' && lower <= 'z') || isDigit(lower) ? lower : ' ';
    }
    return splitAtSpaces(kept);
}

std::size_t commonSubsequence(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::vector<std::size_t> row(b.size() + 1, 0);
    for (const auto& word : a) {
        std::size_t diagonal = 0;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto above = row[j];
            row[j] = word == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
            diagonal = above;
        }
    }
    return row.back();
}

} // namespace

std::vector<std::string> bleuWords(std::string_view text) {
    std::string line(text);
    replaceAll(line, "<skipped>", "");
    replaceAll(line, "-\n", "");
    replaceAll(line, "&quot;", "\"");
    replaceAll(line, "&amp;", "&");
    replaceAll(line, "&lt;", "<");
    replaceAll(line, "&gt;", ">");
    std::string spaced;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i], before = i > 0 ? line[i - 1] : ' ',
                   after = i + 1 < line.size() ? line[i + 1] : ' ';
        const bool alone = isSymbol(c) || ((c == '.' || c == ',') && !(isDigit(before) && isDigit(after))) ||
                           (c == '-' && isDigit(before));
        spaced += alone ? std::string{' ', c, ' '} : std::string(1, c);
    }
    return splitAtSpaces(spaced);
}

void Bleu::add(std::string_view answer, std::string_view reference) {
    const auto given = bleuWords(answer), wanted = bleuWords(reference);
    answerWords_ += static_cast<std::int64_t>(given.size());
    referenceWords_ += static_cast<std::int64_t>(wanted.size());
    for (std::size_t order = 1; order <= orders; ++order) {
        const auto known = ngrams(wanted, order);
        for (const auto& [ngram, count] : ngrams(given, order)) {
            const auto found = known.find(ngram);
            totals_[order - 1] += count;
            matches_[order - 1] += found == known.end() ? 0 : std::min(count, found->second);
        }
    }
}

double Bleu::score(bool effectiveOrder) const {
    if (matches_[0] == 0)
        return 0;
    double logSum = 0, smoothing = 1;
    std::size_t used = 0;
    for (; used < orders && totals_[used] > 0; ++used) {
        const auto total = static_cast<double>(totals_[used]);
        if (matches_[used] == 0)
            smoothing *= 2;
        logSum += std::log(matches_[used] == 0 ? 100 / (smoothing * total)
                                               : 100 * static_cast<double>(matches_[used]) / total);
    }
    if (used < orders && !effectiveOrder)
        return 0;
    const double lengths = static_cast<double>(referenceWords_) / static_cast<double>(answerWords_);
    const double brevity = lengths > 1 ? std::exp(1 - lengths) : 1;
    return brevity * std::exp(logSum / static_cast<double>(used));
}

double rougeL(std::string_view answer, std::string_view reference) {
    const auto given = rougeWords(answer), wanted = rougeWords(reference);
    const auto common = static_cast<double>(commonSubsequence(given, wanted));
    if (common == 0)
        return 0;
    return 2 * common / static_cast<double>(given.size() + wanted.size());
}

} // namespace anneal
