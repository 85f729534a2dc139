#pragma once
#include "core/data/tokenizer.h"
#include "core/model/decoder.h"

#include <functional>
#include <string>
#include <vector>

namespace anneal {

struct GenerationSettings {
    std::int64_t max_new_tokens = 128;
    double temperature = 0; ///< 0: greedy
    double top_p = 1;
    std::uint64_t seed = 42;
    std::vector<std::int32_t> stop_ids;
};

struct Completion {
    std::vector<std::int32_t> ids; ///< without the stop token
    bool stopped = false;          ///< ended by a stop token, not by the limit
};

/// Greedy or nucleus sampling with a KV cache; several prompts go on side by side. A draw is a function of
/// (seed, prompt index, position), so that the batch a prompt came in changes nothing.
class Generator {
public:
    /// Called for each new token; false ends that completion.
    using OnToken = std::function<bool(std::size_t prompt, std::int32_t id)>;

    Generator(Decoder& decoder, GenerationSettings settings);

    Result<std::vector<Completion>> generate(const std::vector<std::vector<std::int32_t>>& prompts,
                                             const CancelToken& cancel, const OnToken& onToken = {});

private:
    std::int32_t choose(const at::Tensor& logits, std::size_t prompt, std::size_t position) const;

    Decoder& decoder_;
    GenerationSettings settings_;
};

/// All tokens that end a turn of this model: the tokenizer's EOS and those its configuration lists.
std::vector<std::int32_t> stopTokens(const Tokenizer& tokenizer, const ModelConfig& config);

} // namespace anneal
