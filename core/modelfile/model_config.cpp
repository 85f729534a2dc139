#include "core/modelfile/model_config.h"

#include "core/base/text.h"

#include <algorithm>
#include <limits>

namespace anneal {

namespace {

/// No dimension of a decoder comes near this; keeps products inside 64 bits.
constexpr std::int64_t largestDimension = 1 << 24;
constexpr std::int64_t mostLayers = 4096;

/// Reads fields of one config.json and remembers the first that is missing or of the wrong type.
class FieldReader {
public:
    FieldReader(const Json& json, std::string_view source) : json_(json), source_(source) {}

    std::optional<std::int64_t> integer(const char* key) {
        const auto* value = present(key);
        if (!value)
            return std::nullopt;
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (!value->is_number_integer() ||
            (value->is_number_unsigned() && value->get<std::uint64_t>() > largest)) {
            fail(key, "has to be an integer");
            return std::nullopt;
        }
        return value->get<std::int64_t>();
    }
    std::int64_t dimension(const char* key, std::optional<std::int64_t> fallback = std::nullopt) {
        const auto value = present(key) ? integer(key) : fallback;
        if (!value)
            fail(key, "is missing");
        else if (*value < 1 || *value > largestDimension)
            fail(key, "is out of range");
        return value.value_or(0);
    }
    std::optional<double> number(const char* key) {
        const auto* value = present(key);
        if (value && !value->is_number())
            fail(key, "has to be a number");
        return value && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
    }
    bool boolean(const char* key, bool fallback) {
        const auto* value = present(key);
        if (value && !value->is_boolean())
            fail(key, "has to be true or false");
        return value && value->is_boolean() ? value->get<bool>() : fallback;
    }
    std::string text(const char* key, std::string fallback = {}) {
        const auto* value = present(key);
        if (value && !value->is_string())
            fail(key, "has to be a string");
        return value && value->is_string() ? value->get<std::string>() : fallback;
    }
    /// Null counts as absent, as it does for transformers.
    const Json* present(const char* key) const {
        const auto found = json_.find(key);
        return found == json_.end() || found->is_null() ? nullptr : &*found;
    }
    void fail(const char* key, const std::string& what) {
        if (!error_)
            error_ =
                invalidInput("Field " + std::string(key) + " of " + std::string(source_) + " " + what + ".",
                             "Download the file again, or correct it.");
    }
    void fail(Error error) {
        if (!error_)
            error_ = std::move(error);
    }
    Status status() const { return error_ ? Status(*error_) : Status(); }

private:
    const Json& json_;
    std::string_view source_;
    std::optional<Error> error_;
};

Status checkFamily(FieldReader& fields, std::string_view source) {
    const auto family = fields.text("model_type");
    ANNEAL_CHECK(fields.status());
    const auto unsupported = [&](const std::string& what) {
        return invalidInput(std::string(source) + " describes a model with " + what +
                                ", which is not supported.",
                            "Choose a model of the Llama architecture.");
    };
    if (family != "llama" && family != "mistral")
        return unsupported("model_type \"" + family + "\"");
    if (fields.text("hidden_act", "silu") != "silu")
        return unsupported("hidden_act \"" + fields.text("hidden_act") + "\"");
    if (fields.present("sliding_window"))
        return unsupported("a sliding_window");
    return fields.status();
}

/// Before 4.33 transformers had no such key: the format fixed theta at 10,000.
bool predatesRopeTheta(const std::string& version) {
    const auto parts = split(version, '.');
    if (parts.size() < 2)
        return false;
    const auto major = parseInteger(parts[0]), minor = parseInteger(parts[1]);
    return major && minor && (*major < 4 || (*major == 4 && *minor < 33));
}

void readRopeTheta(FieldReader& fields, FieldReader* rope, std::string_view source, ModelConfig& config) {
    auto theta = fields.number("rope_theta");
    if (rope && !theta)
        theta = rope->number("rope_theta");
    if (!theta && predatesRopeTheta(fields.text("transformers_version"))) {
        config.notes.push_back(std::string(source) + " states no rope_theta, being written by transformers " +
                               fields.text("transformers_version") + ", which fixed it at 10000.");
        theta = 10000;
    }
    if (!theta)
        return fields.fail(
            invalidInput("Field rope_theta of " + std::string(source) + " is missing.",
                         "Add the value that the model was trained with, e.g. \"rope_theta\": 10000.0."));
    if (!(*theta > 1))
        fields.fail("rope_theta", "has to be above 1");
    config.rope_theta = *theta;
}

void readLlama3(FieldReader& rope, RopeScaling& scaling) {
    const auto required = [&](const char* key) {
        const auto value = rope.number(key);
        if (!value)
            rope.fail(key, "is missing");
        return value.value_or(1);
    };
    scaling.kind = RopeScaling::Kind::Llama3;
    scaling.low_freq_factor = required("low_freq_factor");
    scaling.high_freq_factor = required("high_freq_factor");
    scaling.original_max_position_embeddings = rope.dimension("original_max_position_embeddings");
    if (!(scaling.high_freq_factor > scaling.low_freq_factor))
        rope.fail("high_freq_factor", "has to be above low_freq_factor");
}

Status readRopeScaling(FieldReader& rope, std::string_view source, RopeScaling& scaling) {
    const auto kind = rope.text("rope_type", rope.text("type", "default"));
    if (kind == "default")
        return rope.status();
    const auto factor = rope.number("factor");
    if (!factor || !(*factor > 0))
        rope.fail("factor", "has to be a number above 0");
    scaling.factor = factor.value_or(1);
    if (kind == "linear")
        scaling.kind = RopeScaling::Kind::Linear;
    else if (kind == "llama3")
        readLlama3(rope, scaling);
    else
        return invalidInput(std::string(source) + " asks for rope scaling of type \"" + kind +
                                "\", which is not supported.",
                            "Supported are default, linear and llama3.");
    return rope.status();
}

Status readRope(FieldReader& fields, std::string_view source, ModelConfig& config) {
    // transformers 5 writes rope_parameters where 4 wrote rope_theta and rope_scaling.
    const auto* parameters = fields.present("rope_parameters");
    const auto* rope = parameters ? parameters : fields.present("rope_scaling");
    if (rope && !rope->is_object())
        return invalidInput("Field " + std::string(parameters ? "rope_parameters" : "rope_scaling") + " of " +
                                std::string(source) + " has to be an object.",
                            "Download the file again, or correct it.");
    if (!rope) {
        readRopeTheta(fields, nullptr, source, config);
        return fields.status();
    }
    FieldReader ropeFields(*rope, source);
    readRopeTheta(fields, &ropeFields, source, config);
    ANNEAL_CHECK(fields.status());
    return readRopeScaling(ropeFields, source, config.rope_scaling);
}

void readTokenIds(FieldReader& fields, ModelConfig& config) {
    config.bos_token_id = fields.integer("bos_token_id").value_or(-1);
    config.pad_token_id = fields.integer("pad_token_id").value_or(-1);
    const auto* eos = fields.present("eos_token_id");
    if (!eos)
        return;
    for (const auto& id : eos->is_array() ? *eos : Json::array({*eos})) {
        if (!id.is_number_integer())
            return fields.fail("eos_token_id", "has to be an integer or a list of integers");
        config.eos_token_ids.push_back(id.get<std::int64_t>());
    }
}

void readShape(FieldReader& fields, ModelConfig& config) {
    config.vocab_size = fields.dimension("vocab_size");
    config.hidden_size = fields.dimension("hidden_size");
    config.intermediate_size = fields.dimension("intermediate_size");
    config.num_hidden_layers = fields.dimension("num_hidden_layers");
    config.num_attention_heads = fields.dimension("num_attention_heads");
    config.num_key_value_heads = fields.dimension("num_key_value_heads", config.num_attention_heads);
    if (config.num_hidden_layers > mostLayers)
        fields.fail("num_hidden_layers", "is out of range");
    const auto heads = std::max<std::int64_t>(1, config.num_attention_heads);
    config.head_dim = fields.dimension("head_dim", config.hidden_size / heads);
    config.max_position_embeddings =
        fields.dimension("max_position_embeddings", fields.integer("max_sequence_length"));
    if (config.num_key_value_heads > 0 && config.num_attention_heads % config.num_key_value_heads != 0)
        fields.fail("num_key_value_heads", "does not divide num_attention_heads");
    if (!fields.present("head_dim") && config.hidden_size % heads != 0)
        fields.fail("hidden_size", "is no multiple of num_attention_heads");
    if (config.head_dim % 2 != 0)
        fields.fail("head_dim", "has to be even");
}

std::int64_t normParameters(const ModelConfig& config) {
    return config.hidden_size * (2 * config.num_hidden_layers + 1);
}

std::int64_t biasParameters(const ModelConfig& config) {
    std::int64_t sum = 0;
    for (const auto& linear : linearShapes(config)) {
        const bool attention = linear.module.starts_with("self_attn");
        sum += (attention ? config.attention_bias : config.mlp_bias) ? linear.out_features : 0;
    }
    return sum * config.num_hidden_layers;
}

} // namespace

std::int64_t ModelConfig::linearParameters() const {
    std::int64_t sum = 0;
    for (const auto& linear : linearShapes(*this))
        sum += linear.out_features * linear.in_features;
    return sum * num_hidden_layers;
}

std::int64_t ModelConfig::embeddingParameters() const {
    return vocab_size * hidden_size * (tie_word_embeddings ? 1 : 2);
}

std::int64_t ModelConfig::totalParameters() const {
    return linearParameters() + embeddingParameters() + normParameters(*this) + biasParameters(*this);
}

Result<ModelConfig> modelConfigFromJson(const Json& json, std::string_view source) {
    if (!json.is_object())
        return invalidInput(std::string(source) + " has to hold a JSON object.", "Download the file again.");
    FieldReader fields(json, source);
    ANNEAL_CHECK(checkFamily(fields, source));
    ModelConfig config;
    config.family = "llama";
    readShape(fields, config);
    const auto eps = fields.number("rms_norm_eps");
    if (!eps || !(*eps >= 0))
        fields.fail("rms_norm_eps", "has to be a number of at least 0");
    config.rms_norm_eps = eps.value_or(0);
    config.tie_word_embeddings = fields.boolean("tie_word_embeddings", false);
    config.attention_bias = fields.boolean("attention_bias", false);
    config.mlp_bias = fields.boolean("mlp_bias", false);
    config.dtype = fields.text("dtype", fields.text("torch_dtype", "float32"));
    readTokenIds(fields, config);
    ANNEAL_CHECK(fields.status());
    ANNEAL_CHECK(readRope(fields, source, config));
    return config;
}

std::vector<LinearShape> linearShapes(const ModelConfig& config) {
    const auto hidden = config.hidden_size, inner = config.intermediate_size;
    const auto queries = config.num_attention_heads * config.head_dim;
    const auto keys = config.num_key_value_heads * config.head_dim;
    return {{"q_proj", "self_attn.q_proj", queries, hidden}, {"k_proj", "self_attn.k_proj", keys, hidden},
            {"v_proj", "self_attn.v_proj", keys, hidden},    {"o_proj", "self_attn.o_proj", hidden, queries},
            {"gate_proj", "mlp.gate_proj", inner, hidden},   {"up_proj", "mlp.up_proj", inner, hidden},
            {"down_proj", "mlp.down_proj", hidden, inner}};
}

} // namespace anneal
