// Loading of a decoder: options checked, adapter made or read, weights streamed layer by layer.
#include "core/model/decoder_impl.h"

namespace anneal {

namespace {

Status checkOptions(const ModelSource& source, const DecoderOptions& options) {
    const auto& quantization = options.quantization;
    if (!source.hasWeights())
        return invalidInput(source.path().string() + " holds a configuration but no weights.",
                            "Download the model's weights, or use another folder.");
    if (quantization.type != "nf4" && quantization.type != "none")
        return invalidInput("quantization.type is '" + quantization.type + "'.", "Use nf4 or none.");
    if (quantization.type == "nf4" && quantization.block_size != kernels::nf4Block)
        return invalidInput("quantization.block_size is " + std::to_string(quantization.block_size) + ".",
                            "Use 64.");
    if (options.compute_dtype != at::kFloat && options.compute_dtype != at::kBFloat16)
        return invalidInput("model.dtype is not supported.", "Use auto, float32 or bfloat16.");
    const auto& config = source.config();
    if (config.num_key_value_heads < 1 || config.num_attention_heads % config.num_key_value_heads != 0 ||
        config.head_dim % 2 != 0)
        return invalidInput("The configuration of " + source.path().string() + " has " +
                                std::to_string(config.num_attention_heads) + " attention heads of size " +
                                std::to_string(config.head_dim) + " over " +
                                std::to_string(config.num_key_value_heads) + " key-value heads.",
                            "Heads must be a multiple of key-value heads, and their size even.");
    return {};
}

Result<LoraParameters> makeLora(const ModelConfig& config, const DecoderOptions& options) {
    auto settings = options.lora;
    if (!options.adapter.empty())
        return LoraParameters::load(config, settings, options.adapter);
    if (!options.trainable)
        return LoraParameters();
    if (settings.init_adapter)
        return LoraParameters::load(config, settings, *settings.init_adapter);
    return LoraParameters::initialise(config, settings, options.seed);
}

} // namespace

Result<std::unique_ptr<Decoder::Impl>> Decoder::Impl::load(std::shared_ptr<const ModelSource> source,
                                                           const DecoderOptions& options,
                                                           const Progress& progress,
                                                           const CancelToken& cancel) {
    ANNEAL_CHECK(checkOptions(*source, options));
    const auto& config = source->config();
    auto impl = std::make_unique<Impl>(config);
    impl->dtype = options.compute_dtype;
    impl->checkpointing = options.gradient_checkpointing;
    ANNEAL_TRY(impl->lora, makeLora(config, options));
    ANNEAL_TRY(impl->head, EmbeddingAndHead::load(*source, options.compute_dtype));
    const std::int64_t perLayer = 9, outside = config.tie_word_embeddings ? 2 : 3;
    const std::int64_t total = outside + perLayer * config.num_hidden_layers;
    for (std::int64_t i = 0; i < config.num_hidden_layers; ++i) {
        if (cancel.cancelled())
            return Error{"Loading of the model was stopped.", "", ErrorKind::Stopped};
        if (progress)
            progress(outside + perLayer * i, total);
        ANNEAL_TRY(auto layer, DecoderLayer::load(*source, i, options, impl->lora));
        impl->layers.push_back(std::move(layer));
    }
    if (progress)
        progress(total, total);
    return impl;
}

} // namespace anneal
