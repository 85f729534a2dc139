#pragma once
#include "core/data/prepare.h"
#include "core/train/generator.h"
#include "core/train/trainer.h"

namespace anneal {

/// Greedy answers to evaluation.prompts, written as sample events.
class PromptSamples final : public SampleWriter {
public:
    static Result<PromptSamples> create(const RunConfig& config, const ModelSource& model,
                                        const Tokenizer& tokenizer, std::vector<std::int32_t> stopIds);

    Status write(Decoder& decoder, std::int64_t step, EventSink& sink, const CancelToken& cancel) override;

private:
    explicit PromptSamples(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

    const Tokenizer* tokenizer_;
    std::vector<std::string> prompts_;
    std::vector<std::vector<std::int32_t>> ids_;
    GenerationSettings generation_;
};

/// The template of `generate`, samples and chat: the configured one; null for `none` or a model without.
Result<std::shared_ptr<const ChatTemplate>> configuredTemplate(const DataSettings& data,
                                                               const ModelSource& model);

} // namespace anneal
