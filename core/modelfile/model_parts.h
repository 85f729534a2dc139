#pragma once
#include "core/modelfile/gguf.h"
#include "core/modelfile/model_source.h"

namespace anneal {

/// Compares the weights with what the configuration needs: every tensor there, of the right shape. Names the
/// first that is wrong and counts the others.
Status checkWeights(const ModelSource& model);

/// Configuration of a GGUF file of architecture llama. Fills rope_frequency_divisors from rope_freqs.weight.
Result<ModelConfig> modelConfigFromGguf(const GgufFile& file);
/// The tokenizer.ggml.* values under their names without the prefix.
Json ggmlTokenizer(const GgufFile& file);

Result<std::shared_ptr<const ModelSource>> openGgufModel(const fs::path& path, const std::string& name);
Result<std::shared_ptr<const ModelSource>> openFolderModel(const fs::path& path, const std::string& name);

} // namespace anneal
