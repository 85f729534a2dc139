#pragma once
#include "core/modelfile/model_config.h"
#include "core/modelfile/tensor.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace anneal {

/// What a tokenizer is built from: files of a folder, or the metadata of a GGUF file.
struct TokenizerFiles {
    fs::path tokenizerJson;                ///< empty when the folder has none
    fs::path sentencePieceModel;           ///< tokenizer.model
    Json tokenizerConfig = Json::object(); ///< tokenizer_config.json (+ special_tokens_map.json)
    /// GGUF: the tokenizer.ggml.* values under their names without the prefix (tokens, merges, scores,
    /// token_type, model, pre, ...).
    std::optional<Json> ggml;
};

/// A model on disk: configuration, weights under their Hugging Face names, tokenizer, chat template. Opening
/// maps the files and reads headers only; weights are touched when they are read.
class ModelSource {
public:
    virtual ~ModelSource() = default;

    const fs::path& path() const { return path_; }        ///< folder or GGUF file, resolved
    const std::string& name() const { return name_; }     ///< as the user gave it, or general.name
    const std::string& format() const { return format_; } ///< "safetensors" or "gguf"
    const ModelConfig& config() const { return config_; }
    const TokenizerFiles& tokenizer() const { return tokenizer_; }
    /// Jinja source, empty when the model has none.
    const std::string& chatTemplate() const { return chatTemplate_; }
    /// Depends on the content of configuration and weights' headers, sizes and change times; cheap.
    const std::string& fingerprint() const { return fingerprint_; }

    virtual const TensorView* find(std::string_view name) const = 0;
    virtual std::vector<std::string> tensorNames() const = 0;
    /// Whether weights are there at all: a folder with only config.json can be planned, not trained.
    virtual bool hasWeights() const = 0;

protected:
    fs::path path_;
    std::string name_, format_, chatTemplate_, fingerprint_;
    ModelConfig config_;
    TokenizerFiles tokenizer_;
};

/// Finds what `path` means: a folder, a GGUF file, or a hub name in the local cache (newest snapshot of
/// refs/main, symlinks followed). Otherwise InvalidInput whose fix is the download command.
Result<fs::path> resolveModelPath(const std::string& path);

/// Opens a model of either kind. Every error names the file and what is wrong (missing shard, truncated, not
/// GGUF...).
Result<std::shared_ptr<const ModelSource>> openModel(const std::string& path);

} // namespace anneal
