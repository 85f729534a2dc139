#include "core/modelfile/model_parts.h"

#include "core/base/hash.h"
#include "core/base/text.h"

#include <algorithm>

namespace anneal {

namespace {

struct NamePair {
    std::string_view gguf, huggingFace;
};
constexpr NamePair layerNames[] = {
    {"attn_norm", "input_layernorm"}, {"ffn_norm", "post_attention_layernorm"},
    {"attn_q", "self_attn.q_proj"},   {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},   {"attn_output", "self_attn.o_proj"},
    {"ffn_gate", "mlp.gate_proj"},    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
};
constexpr NamePair topNames[] = {
    {"token_embd", "model.embed_tokens"}, {"output_norm", "model.norm"}, {"output", "lm_head"}};

std::optional<std::string_view> translated(std::span<const NamePair> names, std::string_view name) {
    const auto found = std::ranges::find(names, name, &NamePair::gguf);
    return found == names.end() ? std::nullopt : std::optional(found->huggingFace);
}

/// "blk.3.attn_q.weight" -> "model.layers.3.self_attn.q_proj.weight"; unknown names stay as they are.
std::string huggingFaceName(const std::string& name) {
    const auto parts = split(name, '.');
    if (parts.size() == 4 && parts[0] == "blk")
        if (const auto module = translated(layerNames, parts[2]))
            return "model.layers." + std::string(parts[1]) + "." + std::string(*module) + "." +
                   std::string(parts[3]);
    if (parts.size() == 2)
        if (const auto module = translated(topNames, parts[0]))
            return std::string(*module) + "." + std::string(parts[1]);
    return name;
}

std::int64_t permutedHeads(const std::string& name, const ModelConfig& config) {
    if (name.find(".self_attn.q_proj.") != std::string::npos)
        return config.num_attention_heads;
    if (name.find(".self_attn.k_proj.") != std::string::npos)
        return config.num_key_value_heads;
    return 0;
}

class GgufModel : public ModelSource {
public:
    static Result<std::shared_ptr<const ModelSource>> open(const fs::path& path, const std::string& name) {
        ANNEAL_TRY(auto file, GgufFile::open(path));
        ANNEAL_TRY(auto config, modelConfigFromGguf(*file));
        auto model = std::make_shared<GgufModel>();
        model->path_ = path;
        model->name_ = nameOf(*file, name);
        model->format_ = "gguf";
        model->config_ = std::move(config);
        model->file_ = std::move(file);
        model->readTokenizer();
        model->readTensors();
        model->fingerprint_ = fingerprintOf(*model->file_);
        if (model->hasWeights())
            ANNEAL_CHECK(checkWeights(*model));
        return std::shared_ptr<const ModelSource>(std::move(model));
    }

    const TensorView* find(std::string_view name) const override {
        const auto found = std::ranges::lower_bound(
            tensors_, name, {}, [](const TensorView& tensor) -> std::string_view { return tensor.name; });
        return found != tensors_.end() && found->name == name ? &*found : nullptr;
    }
    std::vector<std::string> tensorNames() const override {
        std::vector<std::string> names;
        for (const auto& tensor : tensors_)
            names.push_back(tensor.name);
        return names;
    }
    bool hasWeights() const override { return !tensors_.empty(); }

private:
    static std::string nameOf(const GgufFile& file, const std::string& given) {
        const auto* name = file.find("general.name");
        return std::string(name ? name->text().value_or(given) : given);
    }
    static std::string fingerprintOf(const GgufFile& file) {
        return Fingerprint()
            .add(hexHash(file.header()))
            .add(std::to_string(fs::file_size(file.path())))
            .add(formatDouble(modifiedSeconds(file.path())))
            .hex();
    }
    void readTokenizer() {
        tokenizer_.ggml = ggmlTokenizer(*file_);
        if (const auto* text = file_->find("tokenizer.chat_template"))
            chatTemplate_ = text->text().value_or("");
    }
    void readTensors() {
        tensors_ = file_->tensors();
        for (auto& tensor : tensors_) {
            tensor.name = huggingFaceName(tensor.name);
            tensor.permutedHeads = permutedHeads(tensor.name, config_);
        }
        std::erase_if(tensors_, [](const TensorView& tensor) { return tensor.name == "rope_freqs.weight"; });
        std::ranges::sort(tensors_, {}, &TensorView::name);
    }

    std::shared_ptr<const GgufFile> file_;
    std::vector<TensorView> tensors_;
};

} // namespace

Result<std::shared_ptr<const ModelSource>> openGgufModel(const fs::path& path, const std::string& name) {
    return GgufModel::open(path, name);
}

} // namespace anneal
