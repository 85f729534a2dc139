#include "core/modelfile/model_parts.h"

#include <algorithm>

namespace anneal {

namespace {

constexpr std::int64_t largestDimension = 1 << 24;
constexpr std::int64_t mostLayers = 4096;

/// Reads llama.* values and remembers the first that is missing or wrong.
class MetadataReader {
public:
    explicit MetadataReader(const GgufFile& file) : file_(file) {}

    const GgufValue* find(const std::string& key) const { return file_.find("llama." + key); }
    std::int64_t dimension(const std::string& key, std::optional<std::int64_t> fallback = std::nullopt) {
        const auto* value = find(key);
        const auto number = value ? value->integer() : fallback;
        if (!number || *number < 1 || *number > largestDimension)
            fail(key, value ? "is no integer in range" : "is missing");
        return number.value_or(0);
    }
    std::optional<double> number(const std::string& key) {
        const auto* value = find(key);
        if (value && !value->number())
            fail(key, "is no number");
        return value ? value->number() : std::nullopt;
    }
    void fail(const std::string& key, const std::string& what) {
        if (!error_)
            error_ = invalidInput("Metadata llama." + key + " of " + file_.path().string() + " " + what + ".",
                                  "Download the file again, or convert the model anew.");
    }
    Status status() const { return error_ ? Status(*error_) : Status(); }

private:
    const GgufFile& file_;
    std::optional<Error> error_;
};

const TensorView* tensorNamed(const GgufFile& file, std::string_view name) {
    const auto found = std::ranges::find(file.tensors(), name, &TensorView::name);
    return found == file.tensors().end() ? nullptr : &*found;
}

Status checkKind(const GgufFile& file) {
    const auto textOf = [&](const char* key) {
        const auto* value = file.find(key);
        return std::string(value ? value->text().value_or("") : "");
    };
    const auto name = file.path().string();
    if (textOf("general.type") == "adapter")
        return invalidInput(name + " is an adapter, not a model.",
                            "Give the base model that it was made for.");
    if (textOf("general.architecture") != "llama")
        return invalidInput(name + " holds a model of architecture \"" + textOf("general.architecture") +
                                "\", which is not supported.",
                            "Choose a model of the Llama architecture.");
    const auto* parts = file.find("split.count");
    if (parts && parts->integer().value_or(1) > 1)
        return invalidInput(name + " is one part of a model that is split into " +
                                std::to_string(*parts->integer()) + " files.",
                            "Merge them with `llama-gguf-split --merge`, and give the merged file.");
    const auto* experts = file.find("llama.expert_count");
    if (experts && experts->integer().value_or(0) > 0)
        return invalidInput(name + " holds a mixture of experts, which is not supported.",
                            "Choose a dense model of the Llama architecture.");
    return {};
}

void readRope(MetadataReader& metadata, const GgufFile& file, ModelConfig& config) {
    const auto theta = metadata.number("rope.freq_base");
    if (!theta)
        config.notes.push_back(
            file.path().string() +
            " states no llama.rope.freq_base: 10000, the format's default, is used as rope_theta.");
    config.rope_theta = theta.value_or(10000);
    if (!(config.rope_theta > 1))
        metadata.fail("rope.freq_base", "has to be above 1");
    const auto* kind = metadata.find("rope.scaling.type");
    const auto kindName = std::string(kind ? kind->text().value_or("") : "none");
    const auto factor =
        metadata.number("rope.scaling.factor").value_or(metadata.number("rope.scale_linear").value_or(1));
    if (kindName != "none" && kindName != "linear")
        metadata.fail("rope.scaling.type", "is \"" + kindName + "\", which is not supported");
    if (!(factor > 0))
        metadata.fail("rope.scaling.factor", "has to be above 0");
    if (factor != 1)
        config.rope_scaling = {.kind = RopeScaling::Kind::Linear, .factor = factor};
    if (metadata.dimension("rope.dimension_count", config.head_dim) != config.head_dim)
        metadata.fail("rope.dimension_count", "differs from the size of a head, which is not supported");
}

Status readFrequencyDivisors(const GgufFile& file, ModelConfig& config) {
    const auto* tensor = tensorNamed(file, "rope_freqs.weight");
    if (!tensor)
        return {};
    if (tensor->elements() != config.head_dim / 2)
        return invalidInput("Tensor rope_freqs.weight of " + file.path().string() + " has " +
                                std::to_string(tensor->elements()) +
                                " elements, not half the size of a head.",
                            "Download the file again, or convert the model anew.");
    config.rope_frequency_divisors.resize(static_cast<std::size_t>(tensor->elements()));
    return readRows(*tensor, 0, tensor->rows(), config.rope_frequency_divisors);
}

void readTokenIds(const GgufFile& file, ModelConfig& config) {
    const auto id = [&](const char* name) {
        const auto* value = file.find(std::string("tokenizer.ggml.") + name);
        return value ? value->integer().value_or(-1) : -1;
    };
    config.bos_token_id = id("bos_token_id");
    config.pad_token_id = id("padding_token_id");
    for (const char* name : {"eos_token_id", "eot_token_id", "eom_token_id"})
        if (const auto end = id(name);
            end >= 0 && std::ranges::find(config.eos_token_ids, end) == config.eos_token_ids.end())
            config.eos_token_ids.push_back(end);
}

/// The vocabulary is what the embedding holds; the metadata may count otherwise or not at all.
std::int64_t vocabularySize(const GgufFile& file, MetadataReader& metadata) {
    const auto* embedding = tensorNamed(file, "token_embd.weight");
    if (embedding && embedding->shape.size() == 2)
        return embedding->shape[0];
    const auto* tokens = file.find("tokenizer.ggml.tokens");
    return metadata.dimension("vocab_size", tokens ? std::optional(static_cast<std::int64_t>(tokens->count))
                                                   : std::nullopt);
}

void readShape(const GgufFile& file, MetadataReader& metadata, ModelConfig& config) {
    config.hidden_size = metadata.dimension("embedding_length");
    config.intermediate_size = metadata.dimension("feed_forward_length");
    config.num_hidden_layers = metadata.dimension("block_count");
    config.num_attention_heads = metadata.dimension("attention.head_count");
    config.num_key_value_heads = metadata.dimension("attention.head_count_kv", config.num_attention_heads);
    if (config.num_hidden_layers > mostLayers)
        metadata.fail("block_count", "is out of range");
    const auto heads = std::max<std::int64_t>(1, config.num_attention_heads);
    config.head_dim = metadata.dimension("attention.key_length", config.hidden_size / heads);
    config.max_position_embeddings = metadata.dimension("context_length");
    config.vocab_size = vocabularySize(file, metadata);
    if (config.num_key_value_heads > 0 && config.num_attention_heads % config.num_key_value_heads != 0)
        metadata.fail("attention.head_count_kv", "does not divide attention.head_count");
    if (config.head_dim % 2 != 0)
        metadata.fail("attention.key_length", "has to be even");
    if (metadata.dimension("attention.value_length", config.head_dim) != config.head_dim)
        metadata.fail("attention.value_length", "differs from attention.key_length, which is not supported");
}

} // namespace

Result<ModelConfig> modelConfigFromGguf(const GgufFile& file) {
    ANNEAL_CHECK(checkKind(file));
    MetadataReader metadata(file);
    ModelConfig config;
    config.family = "llama";
    readShape(file, metadata, config);
    const auto eps = metadata.number("attention.layer_norm_rms_epsilon");
    if (!eps || !(*eps >= 0))
        metadata.fail("attention.layer_norm_rms_epsilon", "is missing or below 0");
    config.rms_norm_eps = eps.value_or(0);
    readRope(metadata, file, config);
    ANNEAL_CHECK(metadata.status());
    ANNEAL_CHECK(readFrequencyDivisors(file, config));
    config.tie_word_embeddings = !tensorNamed(file, "output.weight");
    config.attention_bias = tensorNamed(file, "blk.0.attn_q.bias") != nullptr;
    config.mlp_bias = tensorNamed(file, "blk.0.ffn_gate.bias") != nullptr;
    readTokenIds(file, config);
    return config;
}

Json ggmlTokenizer(const GgufFile& file) {
    constexpr std::string_view prefix = "tokenizer.ggml.";
    auto json = Json::object();
    for (const auto& value : file.metadata())
        if (value.key.starts_with(prefix))
            json[std::string(value.key.substr(prefix.size()))] = value.json();
    return json;
}

} // namespace anneal
