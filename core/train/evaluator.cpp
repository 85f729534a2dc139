#include "core/train/evaluator.h"

#include "core/data/text_metrics.h"
#include "core/train/batch.h"
#include "core/train/generator.h"

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

Error stopped() { return {"The evaluation was stopped.", "", ErrorKind::Stopped}; }

/// Prompt and reference of a stored row: the last trained span and what stands before it.
struct PromptAndReference {
    std::vector<std::int32_t> prompt, reference;
};

PromptAndReference splitRow(std::span<const std::uint32_t> tokens) {
    std::size_t end = tokens.size();
    while (end > 0 && !isSupervised(tokens[end - 1]))
        --end;
    std::size_t begin = end;
    while (begin > 1 && isSupervised(tokens[begin - 1]))
        --begin;
    PromptAndReference parts;
    for (std::size_t i = 0; i < end; ++i)
        (i < begin ? parts.prompt : parts.reference).push_back(static_cast<std::int32_t>(tokenId(tokens[i])));
    return parts;
}

/// Consecutive groups of at most `size` sequences.
std::vector<std::span<const Sequence>> groups(const std::vector<Sequence>& rows, std::int64_t size) {
    std::vector<std::span<const Sequence>> all;
    const auto step = static_cast<std::size_t>(std::max<std::int64_t>(1, size));
    for (std::size_t i = 0; i < rows.size(); i += step)
        all.emplace_back(rows.data() + i, std::min(step, rows.size() - i));
    return all;
}

} // namespace

Evaluator::Evaluator(const EvaluationSettings& settings, std::int64_t batchSize, const TokenStore& store,
                     const Tokenizer& tokenizer, std::vector<std::int32_t> stopIds)
    : settings_(settings), batchSize_(batchSize), store_(store), tokenizer_(tokenizer),
      stopIds_(std::move(stopIds)) {
    const auto count = settings.max_rows > 0
                           ? std::min<std::size_t>(store.rows(), static_cast<std::size_t>(settings.max_rows))
                           : store.rows();
    for (std::size_t row = 0; row < count; ++row)
        rows_.push_back({static_cast<std::uint32_t>(row)});
    std::ranges::stable_sort(rows_, {}, [&](const Sequence& row) { return store.row(row[0]).size(); });
}

bool Evaluator::wantsGeneration() const {
    return std::ranges::any_of(settings_.metrics,
                               [](const std::string& name) { return isGenerationMetric(name); });
}

Result<EvaluationResult> Evaluator::evaluate(Decoder& decoder, const Progress& progress,
                                             const CancelToken& cancel,
                                             std::vector<GeneratedAnswer>* answers) const {
    ANNEAL_TRY(const auto sum, lossSum(decoder, progress, cancel));
    EvaluationResult result;
    result.tokens = sum.tokens;
    result.loss = sum.tokens > 0 ? sum.loss / static_cast<double>(sum.tokens) : std::nan("");
    result.perplexity = std::exp(result.loss);
    if (wantsGeneration() || answers) {
        ANNEAL_TRY(result.metrics, scores(decoder, progress, cancel, answers));
    }
    return result;
}

Result<LossSum> Evaluator::lossSum(Decoder& decoder, const Progress& progress,
                                   const CancelToken& cancel) const {
    LossSum total;
    std::int64_t done = 0;
    for (const auto group : groups(rows_, batchSize_)) {
        if (cancel.cancelled())
            return stopped();
        ANNEAL_TRY(const auto sum, decoder.evaluate(makeBatch(store_, group, 0)));
        total.loss += sum.loss;
        total.tokens += sum.tokens;
        done += static_cast<std::int64_t>(group.size());
        progress({"evaluating", done, static_cast<std::int64_t>(rows_.size()), "rows"});
    }
    return total;
}

Result<Json> Evaluator::scores(Decoder& decoder, const Progress& progress, const CancelToken& cancel,
                               std::vector<GeneratedAnswer>* answers) const {
    GenerationSettings generation;
    generation.max_new_tokens = settings_.max_new_tokens;
    generation.stop_ids = stopIds_;
    Generator generator(decoder, generation);
    TextScores scores(settings_.metrics);
    std::int64_t done = 0;
    for (const auto group : groups(rows_, batchSize_)) {
        std::vector<PromptAndReference> parts;
        std::vector<std::vector<std::int32_t>> prompts;
        for (const auto& row : group) {
            auto split = splitRow(store_.row(row[0]));
            if (split.prompt.empty() || split.reference.empty())
                continue; // raw text has no answer to compare
            prompts.push_back(split.prompt);
            parts.push_back(std::move(split));
        }
        ANNEAL_TRY(const auto completions, generator.generate(prompts, cancel));
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto text = tokenizer_.decode(completions[i].ids, true);
            const auto reference = tokenizer_.decode(parts[i].reference, true);
            scores.add(text, reference);
            if (answers)
                answers->push_back({tokenizer_.decode(parts[i].prompt, true), reference, text});
        }
        done += static_cast<std::int64_t>(group.size());
        progress({"generating answers", done, static_cast<std::int64_t>(rows_.size()), "rows"});
    }
    return scores.means();
}

} // namespace anneal
