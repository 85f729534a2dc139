#pragma once
#include "core/data/sampler.h"
#include "core/data/tokenizer.h"
#include "core/model/decoder.h"
#include "core/train/sink.h"

#include <functional>
#include <string>
#include <vector>

namespace anneal {

struct EvaluationResult {
    double loss = 0;         ///< sum of token losses / supervised tokens
    double perplexity = 0;   ///< exp(loss)
    std::int64_t tokens = 0; ///< supervised
    Json metrics = Json::object();
};

/// Row texts of an evaluation with generation, for tables and samples.
struct GeneratedAnswer {
    std::string prompt, reference, text;
};

/// Loss over stored rows, and, where metrics ask for it, scores of generated answers. A row's prompt is what
/// stands before its last trained span, its reference that span.
class Evaluator {
public:
    using Progress = std::function<void(const PhaseEvent&)>;

    Evaluator(const EvaluationSettings& settings, std::int64_t batchSize, const TokenStore& store,
              const Tokenizer& tokenizer, std::vector<std::int32_t> stopIds);

    /// The first max_rows rows, shortest first so that batches are even. `answers` gets what was generated.
    Result<EvaluationResult> evaluate(Decoder& decoder, const Progress& progress, const CancelToken& cancel,
                                      std::vector<GeneratedAnswer>* answers = nullptr) const;

private:
    Result<LossSum> lossSum(Decoder& decoder, const Progress& progress, const CancelToken& cancel) const;
    Result<Json> scores(Decoder& decoder, const Progress& progress, const CancelToken& cancel,
                        std::vector<GeneratedAnswer>* answers) const;
    bool wantsGeneration() const;

    EvaluationSettings settings_;
    std::int64_t batchSize_;
    const TokenStore& store_;
    const Tokenizer& tokenizer_;
    std::vector<std::int32_t> stopIds_;
    std::vector<Sequence> rows_; ///< one row a sequence, by length
};

} // namespace anneal
