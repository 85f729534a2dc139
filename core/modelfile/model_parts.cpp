#include "core/modelfile/model_parts.h"

namespace anneal {

namespace {

struct ExpectedTensor {
    std::string name;
    std::vector<std::int64_t> shape;
};

std::vector<ExpectedTensor> expectedTensors(const ModelConfig& config) {
    const auto hidden = config.hidden_size;
    std::vector<ExpectedTensor> all{{"model.embed_tokens.weight", {config.vocab_size, hidden}},
                                    {"model.norm.weight", {hidden}}};
    if (!config.tie_word_embeddings)
        all.push_back({"lm_head.weight", {config.vocab_size, hidden}});
    for (std::int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
        const auto prefix = "model.layers." + std::to_string(layer) + ".";
        all.push_back({prefix + "input_layernorm.weight", {hidden}});
        all.push_back({prefix + "post_attention_layernorm.weight", {hidden}});
        for (const auto& linear : linearShapes(config)) {
            all.push_back({prefix + linear.module + ".weight", {linear.out_features, linear.in_features}});
            const bool attention = linear.module.starts_with("self_attn");
            if (attention ? config.attention_bias : config.mlp_bias)
                all.push_back({prefix + linear.module + ".bias", {linear.out_features}});
        }
    }
    return all;
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const auto dim : shape)
        text += (text.empty() ? "" : " x ") + std::to_string(dim);
    return text;
}

} // namespace

Status checkWeights(const ModelSource& model) {
    std::vector<std::string> missing;
    for (const auto& expected : expectedTensors(model.config())) {
        const auto* tensor = model.find(expected.name);
        if (!tensor)
            missing.push_back(expected.name);
        else if (tensor->shape != expected.shape)
            return invalidInput(
                "Tensor " + expected.name + " of " + model.path().string() + " is " +
                    shapeText(tensor->shape) + " where the configuration needs " + shapeText(expected.shape) +
                    ".",
                "Configuration and weights are of different models: download them again together.");
    }
    if (missing.empty())
        return {};
    const auto others = missing.size() > 1 ? " and " + std::to_string(missing.size() - 1) + " others" : "";
    return invalidInput("Tensor " + missing.front() + others + (others.empty() ? " is" : " are") +
                            " missing in " + model.path().string() + ".",
                        "Download the model again; a file of it is missing or of another model.");
}

} // namespace anneal
