#include "core/train/job.h"

#include "core/base/system.h"
#include "core/data/prepare.h"
#include "core/data/text_metrics.h"
#include "core/train/evaluator.h"
#include "core/train/generator.h"
#include "core/train/machine.h"
#include "core/train/prompt_samples.h"

#include <algorithm>
#include <iostream>

namespace anneal {

namespace {

constexpr std::size_t samplesShown = 3;

/// A model with its tokenizer and template, ready to answer.
struct LoadedModel {
    RunConfig config;
    std::shared_ptr<const ModelSource> source;
    std::shared_ptr<const Tokenizer> tokenizer;
    std::shared_ptr<const ChatTemplate> chatTemplate;
    std::unique_ptr<Decoder> decoder;
    CancelToken cancel;

    Status load(const JobRequest& request, JobOutput& output) {
        ANNEAL_TRY(config, jobConfig(request));
        ANNEAL_TRY(const auto compute, chooseCompute(config.model, config.hardware));
        ANNEAL_TRY(source, openModel(config.model.path));
        ANNEAL_TRY(tokenizer, loadTokenizer(*source));
        ANNEAL_TRY(chatTemplate, configuredTemplate(config.data, *source));
        DecoderOptions options;
        options.compute_dtype = compute.dtype;
        options.quantization = config.quantization;
        options.lora = config.lora;
        options.trainable = false;
        options.adapter = request.adapter.value_or("");
        const auto progress = [&](std::int64_t done, std::int64_t total) {
            output.phase({"loading model", done, total, "tensors"});
        };
        ANNEAL_TRY(decoder, Decoder::load(source, options, progress, cancel));
        return {};
    }

    GenerationSettings generation(const JobRequest& request) const {
        return {request.max_new_tokens, request.temperature, request.top_p,
                static_cast<std::uint64_t>(request.seed), stopTokens(*tokenizer, source->config())};
    }
};

Json answerJson(const std::string& prompt, const std::string& text, std::size_t tokens, double seconds) {
    return {{"prompt", prompt},
            {"text", text},
            {"tokens", tokens},
            {"tokens_per_second", static_cast<double>(tokens) / std::max(seconds, 1e-9)}};
}

Json samplesJson(const std::vector<GeneratedAnswer>& answers) {
    Json samples = Json::array();
    // Evenly spread over the rows, which stand by length: the first ones alone would all be short.
    const std::size_t stride = std::max<std::size_t>(1, answers.size() / samplesShown);
    for (std::size_t i = stride / 2; i < answers.size() && samples.size() < samplesShown; i += stride)
        samples.push_back(
            {{"prompt", answers[i].prompt}, {"reference", answers[i].reference}, {"text", answers[i].text}});
    return samples;
}

/// Streams decoded text of one completion, held back while it ends inside a character.
class TextStream {
public:
    TextStream(const Tokenizer& tokenizer, JobOutput& output) : tokenizer_(tokenizer), output_(output) {}

    void add(std::int32_t id) {
        ids_.push_back(id);
        const auto text = tokenizer_.decode(ids_, true);
        if (text.ends_with("\xEF\xBF\xBD") || text.size() <= shown_)
            return;
        output_.token(text.substr(shown_));
        shown_ = text.size();
    }

private:
    const Tokenizer& tokenizer_;
    JobOutput& output_;
    std::vector<std::int32_t> ids_;
    std::size_t shown_ = 0;
};

Result<Json> answerMessages(LoadedModel& model, const JobRequest& request, const Json& line,
                            JobOutput& output) {
    if (!line.is_object() || !line.contains("messages"))
        return invalidInput("A chat line needs \"messages\".",
                            "Send {\"messages\": [{\"role\": \"user\", \"content\": ...}]}.");
    if (!model.chatTemplate)
        return invalidInput("The model " + model.source->name() + " has no chat template.",
                            "Set data.template to a Jinja file, or use anneal generate.");
    RenderContext context;
    context.messages = line["messages"];
    context.add_generation_prompt = true;
    context.bos_token =
        model.tokenizer->bosId() >= 0 ? model.tokenizer->idToPiece(model.tokenizer->bosId()) : "";
    context.eos_token =
        model.tokenizer->eosId() >= 0 ? model.tokenizer->idToPiece(model.tokenizer->eosId()) : "";
    ANNEAL_TRY(const auto rendering, model.chatTemplate->render(context));
    Generator generator(*model.decoder, model.generation(request));
    TextStream stream(*model.tokenizer, output);
    const auto onToken = [&](std::size_t, std::int32_t id) { return stream.add(id), true; };
    const double start = monotonicSeconds();
    ANNEAL_TRY(
        const auto completions,
        generator.generate({model.tokenizer->encode(rendering.text, false).ids}, model.cancel, onToken));
    const auto& ids = completions.front().ids;
    return answerJson("", model.tokenizer->decode(ids, true), ids.size(), monotonicSeconds() - start);
}

} // namespace

Result<Json> evaluateJob(const JobRequest& request, JobOutput& output) {
    LoadedModel model;
    ANNEAL_CHECK(model.load(request, output));
    model.config.data.train = {{request.data.value_or(""), "auto", 1.0}};
    model.config.data.validation = "0";
    const auto prepared = [&](const PrepareProgress& p) {
        output.phase({"preparing data: " + p.phase, p.done, p.total, p.unit});
    };
    ANNEAL_TRY(const auto data, prepareData(model.config, *model.source, prepared, model.cancel));
    const Evaluator evaluator(model.config.evaluation, model.config.training.per_device_eval_batch_size,
                              data.train, *model.tokenizer,
                              stopTokens(*model.tokenizer, model.source->config()));
    const bool generates = std::ranges::any_of(model.config.evaluation.metrics, isGenerationMetric);
    std::vector<GeneratedAnswer> answers;
    const auto progress = [&](const PhaseEvent& phase) { output.phase(phase); };
    ANNEAL_TRY(const auto result,
               evaluator.evaluate(*model.decoder, progress, model.cancel, generates ? &answers : nullptr));
    return Json{{"tokens", result.tokens},
                {"loss", jsonNumber(result.loss)},
                {"perplexity", jsonNumber(result.perplexity)},
                {"metrics", result.metrics},
                {"samples", samplesJson(answers)}};
}

Result<Json> generateJob(const JobRequest& request, JobOutput& output) {
    LoadedModel model;
    ANNEAL_CHECK(model.load(request, output));
    std::vector<std::vector<std::int32_t>> prompts;
    for (const auto& prompt : request.prompts) {
        ANNEAL_TRY(auto ids,
                   encodePrompt(*model.tokenizer, model.chatTemplate.get(), model.config.data, prompt));
        prompts.push_back(std::move(ids));
    }
    if (prompts.empty())
        return invalidInput("There is no prompt to answer.", "Give one with --prompt.");
    output.phase({"generating", 0, static_cast<std::int64_t>(prompts.size()), "prompts"});
    Generator generator(*model.decoder, model.generation(request));
    const double start = monotonicSeconds();
    ANNEAL_TRY(const auto completions, generator.generate(prompts, model.cancel));
    const double seconds = monotonicSeconds() - start;
    Json answers = Json::array();
    for (std::size_t i = 0; i < completions.size(); ++i)
        answers.push_back(answerJson(request.prompts[i], model.tokenizer->decode(completions[i].ids, true),
                                     completions[i].ids.size(), seconds));
    return answers.size() == 1 ? answers.front() : Json{{"answers", answers}};
}

Result<Json> chatJob(const JobRequest& request, JobOutput& output) {
    LoadedModel model;
    ANNEAL_CHECK(model.load(request, output));
    output.phase({"ready", 0, 0, ""});
    std::int64_t answered = 0;
    for (std::string text; std::getline(std::cin, text);) {
        const auto line = parseJson(text, "the chat line");
        auto answer = line ? answerMessages(model, request, *line, output) : Result<Json>(line.error());
        if (answer)
            output.result(*answer);
        else
            output.error(answer.error());
        ++answered;
    }
    return Json{{"answered", answered}};
}

} // namespace anneal
