#pragma once
#include "core/base/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace anneal {

/// How rotary frequencies are stretched beyond the trained length.
struct RopeScaling {
    enum class Kind { None, Linear, Llama3 } kind = Kind::None;
    double factor = 1;
    double low_freq_factor = 1, high_freq_factor = 4; ///< llama3
    std::int64_t original_max_position_embeddings = 8192;
};

/// The shape of a decoder, in the terms of a Hugging Face config.json. A family is a mapping onto this.
struct ModelConfig {
    std::string family; ///< "llama"
    std::int64_t vocab_size = 0, hidden_size = 0, intermediate_size = 0;
    std::int64_t num_hidden_layers = 0, num_attention_heads = 0, num_key_value_heads = 0, head_dim = 0;
    std::int64_t max_position_embeddings = 0;
    double rms_norm_eps = 1e-5;
    double rope_theta = 0; ///< never defaulted in silence
    RopeScaling rope_scaling;
    /// GGUF's rope_freqs.weight: the rotary frequencies [head_dim / 2] are divided by these (empty: not).
    /// They already contain llama3 scaling, so rope_scaling is None then.
    std::vector<float> rope_frequency_divisors;
    bool tie_word_embeddings = false;
    bool attention_bias = false;
    bool mlp_bias = false;
    std::int64_t bos_token_id = -1, pad_token_id = -1;
    std::vector<std::int64_t> eos_token_ids;
    std::string dtype = "bfloat16"; ///< of the stored weights; weights are cast to it before quantizing
    std::vector<std::string> notes; ///< sentences on what the file leaves open and what was taken instead

    /// Weights of the linears that quantization and LoRA see (all but embeddings, norms and head).
    std::int64_t linearParameters() const;
    std::int64_t embeddingParameters() const; ///< embeddings and an untied head
    std::int64_t totalParameters() const;
};

/// Maps a Hugging Face config.json (written by transformers 4 or 5). `source` names the file in errors; an
/// unsupported family or a missing field is InvalidInput.
Result<ModelConfig> modelConfigFromJson(const Json& json, std::string_view source);

/// A linear layer of the decoder: "q_proj" with the shape of its weight [out_features, in_features].
struct LinearShape {
    std::string name;   ///< "q_proj", ..., "down_proj"
    std::string module; ///< path inside a layer: "self_attn.q_proj", "mlp.gate_proj"
    std::int64_t out_features, in_features;
};
/// The linears of one layer in the order q, k, v, o, gate, up, down.
std::vector<LinearShape> linearShapes(const ModelConfig& config);

} // namespace anneal
