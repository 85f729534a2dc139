#include "core/model/lora.h"

#include "core/base/random.h"
#include "core/model/lora_targets.h"

#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <cmath>

namespace anneal {

namespace {

Status check(const LoraSettings& settings) {
    if (settings.use_dora)
        return invalidInput(
            "lora.use_dora is on, but training with DoRA is not supported.",
            "Set lora.use_dora: false; lora.use_rslora: true is an alternative for high ranks.");
    if (settings.rank < 1)
        return invalidInput("lora.rank is " + std::to_string(settings.rank) + ".",
                            "Use a rank of at least 1, such as 16.");
    if (!(settings.dropout >= 0 && settings.dropout < 1))
        return invalidInput("lora.dropout must be at least 0 and below 1.", "Use 0.05, or 0 for none.");
    return {};
}

/// U(-1/sqrt(in), 1/sqrt(in)): kaiming_uniform with a = sqrt(5), as PEFT initialises A.
void fillA(const at::Tensor& a, std::uint64_t seed, std::uint64_t stream) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(a.size(1)));
    const auto key = randomKey(seed, RandomUse::Initialisation);
    auto* values = static_cast<float*>(a.data_ptr());
    for (std::int64_t i = 0; i < a.numel(); ++i)
        values[i] =
            static_cast<float>((2 * randomUniform(key, static_cast<std::uint64_t>(i), stream) - 1) * bound);
}

} // namespace

Result<LoraParameters> LoraParameters::layOut(const ModelConfig& model, const LoraSettings& settings) {
    ANNEAL_CHECK(check(settings));
    ANNEAL_TRY(const auto targets, LoraTargets::resolve(model, settings.target_modules));
    LoraParameters made;
    made.settings_ = settings;
    made.settings_.target_modules = targets.names(model);
    made.dropout_ = settings.dropout;
    const auto rank = static_cast<double>(settings.rank);
    made.scaling_ = settings.alpha / (settings.use_rslora ? std::sqrt(rank) : rank);
    const auto shapes = linearShapes(model);
    std::int64_t total = 0;
    for (std::int64_t layer = 0; layer < model.num_hidden_layers; ++layer)
        for (std::size_t linear = 0; linear < shapes.size(); ++linear) {
            if (!targets.contains(layer, linear))
                continue;
            const auto& shape = shapes[linear];
            const auto path = "base_model.model.model.layers." + std::to_string(layer) + "." + shape.module;
            made.entries_.push_back({path + ".lora_A.weight",
                                     layer,
                                     shape.module,
                                     false,
                                     total,
                                     {settings.rank, shape.in_features}});
            total += settings.rank * shape.in_features;
            made.entries_.push_back({path + ".lora_B.weight",
                                     layer,
                                     shape.module,
                                     true,
                                     total,
                                     {shape.out_features, settings.rank}});
            total += settings.rank * shape.out_features;
        }
    const c10::InferenceMode ordinary(
        false); // optimizer and export write to these tensors outside the decoder
    made.values_ = at::zeros({total}, at::kFloat);
    made.grads_ = at::zeros({total}, at::kFloat);
    return made;
}

Result<LoraParameters> LoraParameters::initialise(const ModelConfig& model, const LoraSettings& settings,
                                                  std::uint64_t seed) {
    ANNEAL_TRY(auto made, layOut(model, settings));
    const auto shapes = linearShapes(model);
    for (const auto& entry : made.entries_) {
        if (entry.is_b)
            continue;
        std::uint64_t stream = static_cast<std::uint64_t>(entry.layer) * shapes.size();
        for (std::size_t linear = 0; linear < shapes.size(); ++linear)
            if (shapes[linear].module == entry.module)
                stream += linear;
        fillA(made.value(entry), seed, stream);
    }
    return made;
}

at::Tensor LoraParameters::value(const LoraEntry& entry) const {
    return values_.narrow(0, entry.offset, entry.shape[0] * entry.shape[1]).view(entry.shape);
}

at::Tensor LoraParameters::grad(const LoraEntry& entry) const {
    return grads_.narrow(0, entry.offset, entry.shape[0] * entry.shape[1]).view(entry.shape);
}

} // namespace anneal
