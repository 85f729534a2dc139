#include "core/train/prompt_samples.h"

namespace anneal {

Result<std::shared_ptr<const ChatTemplate>> configuredTemplate(const DataSettings& data,
                                                               const ModelSource& model) {
    std::shared_ptr<const ChatTemplate> none;
    if (data.template_source == "none" || (data.template_source == "auto" && model.chatTemplate().empty()))
        return none;
    if (data.template_source == "auto")
        return ChatTemplate::parse(model.chatTemplate());
    ANNEAL_TRY(const auto text, readFile(data.template_source, 1 << 20));
    return ChatTemplate::parse(text);
}

Result<PromptSamples> PromptSamples::create(const RunConfig& config, const ModelSource& model,
                                            const Tokenizer& tokenizer, std::vector<std::int32_t> stopIds) {
    PromptSamples samples(tokenizer);
    ANNEAL_TRY(const auto chatTemplate, configuredTemplate(config.data, model));
    for (const auto& prompt : config.evaluation.prompts) {
        ANNEAL_TRY(auto ids, encodePrompt(tokenizer, chatTemplate.get(), config.data, prompt));
        samples.prompts_.push_back(prompt);
        samples.ids_.push_back(std::move(ids));
    }
    samples.generation_.max_new_tokens = config.evaluation.max_new_tokens;
    samples.generation_.stop_ids = std::move(stopIds);
    return samples;
}

Status PromptSamples::write(Decoder& decoder, std::int64_t step, EventSink& sink, const CancelToken& cancel) {
    if (ids_.empty())
        return {};
    sink.emit(PhaseEvent{"generating samples", 0, static_cast<std::int64_t>(ids_.size()), "prompts"});
    Generator generator(decoder, generation_);
    ANNEAL_TRY(const auto completions, generator.generate(ids_, cancel));
    for (std::size_t i = 0; i < completions.size(); ++i)
        sink.emit(SampleEvent{step, prompts_[i], tokenizer_->decode(completions[i].ids, true),
                              static_cast<std::int64_t>(completions[i].ids.size())});
    return {};
}

} // namespace anneal
