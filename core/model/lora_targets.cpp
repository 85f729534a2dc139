#include "core/model/lora_targets.h"

#include "core/base/text.h"

#include <algorithm>

namespace anneal {

namespace {

std::string modulePath(std::int64_t layer, const LinearShape& shape) {
    return "model.layers." + std::to_string(layer) + "." + shape.module;
}

/// PEFT's rule: the whole path, or its end after a dot.
bool fits(const std::string& path, const std::string& target) {
    return path == target || path.ends_with("." + target);
}

Error unknownTarget(const std::string& target, const std::vector<LinearShape>& shapes) {
    std::vector<std::string> names;
    for (const auto& shape : shapes)
        names.push_back(shape.name);
    const auto close = nearest(target, names);
    const auto meant = close ? "Did you mean " + *close + "? " : std::string();
    return invalidInput("lora.target_modules names '" + target + "', which is no linear layer of this model.",
                        meant + "Use all-linear or some of " + join(names, ", ") + ".");
}

} // namespace

Result<LoraTargets> LoraTargets::resolve(const ModelConfig& model, const std::vector<std::string>& targets) {
    const auto shapes = linearShapes(model);
    LoraTargets resolved;
    resolved.linears_ = shapes.size();
    resolved.chosen_.resize(shapes.size() * static_cast<std::size_t>(model.num_hidden_layers));
    if (targets.empty())
        return invalidInput("lora.target_modules is empty: there is nothing to train.", "Use all-linear.");
    for (const auto& target : targets) {
        bool found = false;
        for (std::size_t i = 0; i < resolved.chosen_.size(); ++i) {
            const auto& shape = shapes[i % shapes.size()];
            if (target == "all-linear" ||
                fits(modulePath(static_cast<std::int64_t>(i / shapes.size()), shape), target))
                found = resolved.chosen_[i] = true;
        }
        if (!found)
            return unknownTarget(target, shapes);
    }
    return resolved;
}

std::vector<std::string> LoraTargets::names(const ModelConfig& model) const {
    const auto shapes = linearShapes(model);
    std::vector<std::string> names;
    for (std::size_t linear = 0; linear < linears_; ++linear) {
        std::vector<std::string> paths;
        for (std::int64_t layer = 0; layer < model.num_hidden_layers; ++layer)
            if (contains(layer, linear))
                paths.push_back(modulePath(layer, shapes[linear]));
        if (static_cast<std::int64_t>(paths.size()) == model.num_hidden_layers)
            names.push_back(shapes[linear].name);
        else
            names.insert(names.end(), paths.begin(), paths.end());
    }
    std::ranges::sort(names);
    return names;
}

} // namespace anneal
