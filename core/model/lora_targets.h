#pragma once
#include "core/modelfile/model_config.h"

#include <string>
#include <vector>

namespace anneal {

/// Which linears get an adapter.
class LoraTargets {
public:
    /// `targets` as PEFT understands them: "all-linear", names such as "q_proj", or paths of modules such as
    /// "model.layers.0.self_attn.q_proj". A target that fits no linear is InvalidInput.
    static Result<LoraTargets> resolve(const ModelConfig& model, const std::vector<std::string>& targets);

    bool contains(std::int64_t layer, std::size_t linear) const {
        return chosen_[static_cast<std::size_t>(layer) * linears_ + linear];
    }
    /// Names when every layer has them, paths where layers differ; sorted.
    std::vector<std::string> names(const ModelConfig& model) const;

private:
    std::size_t linears_ = 0;
    std::vector<bool> chosen_; ///< [layer][linear]
};

} // namespace anneal
