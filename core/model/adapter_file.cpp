// Reading and writing of PEFT adapter folders.
#include "core/model/lora.h"
#include "core/modelfile/safetensors.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace anneal {

namespace {

constexpr const char* configName = "adapter_config.json";
constexpr const char* weightsName = "adapter_model.safetensors";

bool isSet(const Json& config, const char* key) {
    const auto found = config.find(key);
    return found != config.end() && !found->is_null() && *found != false &&
           !(found->is_structured() && found->empty());
}

/// What an adapter may not use, with a reason a person understands.
Status checkSupported(const Json& config, const fs::path& path) {
    if (config.value("peft_type", "") != "LORA")
        return invalidInput(path.string() + " describes no LoRA adapter (peft_type is not LORA).",
                            "Use a LoRA adapter.");
    for (const char* key : {"use_dora", "rank_pattern", "alpha_pattern", "modules_to_save", "fan_in_fan_out",
                            "lora_bias", "use_qalora", "layer_replication", "target_parameters"})
        if (isSet(config, key))
            return invalidInput(path.string() + " sets " + key + ", which is not supported.",
                                "Use an adapter without it, or merge this one into its base model first.");
    if (config.contains("bias") && config["bias"] != "none")
        return invalidInput(path.string() + " trains biases, which is not supported.",
                            "Use an adapter with bias: none.");
    return {};
}

Result<std::vector<std::string>> targetsOf(const Json& config, const fs::path& path) {
    const auto found = config.find("target_modules");
    if (found != config.end() && found->is_string())
        return std::vector<std::string>{found->get<std::string>()};
    std::vector<std::string> targets;
    if (found != config.end() && found->is_array())
        for (const auto& item : *found)
            if (item.is_string())
                targets.push_back(item.get<std::string>());
    if (targets.empty())
        return invalidInput(path.string() + " names no target_modules.",
                            "Use an adapter_config.json as PEFT writes it.");
    return targets;
}

/// The adapter's own rank, alpha, rsLoRA and targets win; dropout is a matter of training and stays.
Status takeOver(const Json& config, const fs::path& path, LoraSettings& settings) {
    ANNEAL_CHECK(checkSupported(config, path));
    const auto rank = config.find("r"), alpha = config.find("lora_alpha");
    if (rank == config.end() || !rank->is_number_integer() || alpha == config.end() || !alpha->is_number())
        return invalidInput(path.string() + " lacks r or lora_alpha.",
                            "Use an adapter_config.json as PEFT writes it.");
    settings.rank = rank->get<std::int64_t>();
    settings.alpha = alpha->get<double>();
    settings.use_rslora = isSet(config, "use_rslora");
    settings.use_dora = false;
    ANNEAL_TRY(settings.target_modules, targetsOf(config, path));
    return {};
}

Status readEntry(const SafetensorsFile& file, const LoraEntry& entry, const at::Tensor& into) {
    const auto* tensor = file.find(entry.name);
    if (!tensor)
        return invalidInput(file.path().string() + " has no tensor " + entry.name + ".",
                            "The adapter is incomplete, or its target_modules belong to another one.");
    if (tensor->shape != entry.shape)
        return invalidInput("Tensor " + entry.name + " of " + file.path().string() +
                                " has another shape than rank and model ask for.",
                            "Use the adapter with the base model it was trained on.");
    ANNEAL_CHECK(readRows(*tensor, 0, entry.shape[0],
                          {static_cast<float*>(into.data_ptr()), static_cast<std::size_t>(into.numel())}));
    if (!std::isfinite(into.sum().item<double>()))
        return invalidInput("Tensor " + entry.name + " of " + file.path().string() +
                                " holds values that are not finite.",
                            "Use an earlier checkpoint.");
    return {};
}

/// A tensor that nothing would use means that adapter and model do not belong together.
Status checkNoOthers(const SafetensorsFile& file, const std::vector<LoraEntry>& entries) {
    std::set<std::string> wanted;
    for (const auto& entry : entries)
        wanted.insert(entry.name);
    for (const auto& tensor : file.tensors())
        if (!wanted.contains(tensor.name))
            return invalidInput(file.path().string() + " holds the tensor " + tensor.name +
                                    ", which this model has no use for.",
                                "Use the adapter with the base model it was trained on.");
    return {};
}

Json configOf(const LoraSettings& settings, const std::string& baseModel) {
    Json config;
    config["peft_type"] = "LORA";
    config["task_type"] = "CAUSAL_LM";
    config["base_model_name_or_path"] = baseModel;
    config["r"] = settings.rank;
    if (settings.alpha == std::floor(settings.alpha))
        config["lora_alpha"] = static_cast<std::int64_t>(settings.alpha);
    else
        config["lora_alpha"] = settings.alpha;
    config["lora_dropout"] = settings.dropout;
    config["target_modules"] = settings.target_modules;
    config["bias"] = "none";
    config["fan_in_fan_out"] = false;
    config["init_lora_weights"] = true;
    config["use_rslora"] = settings.use_rslora;
    config["use_dora"] = false;
    config["rank_pattern"] = Json::object();
    config["alpha_pattern"] = Json::object();
    config["modules_to_save"] = nullptr;
    config["inference_mode"] = true;
    config["peft_version"] = "0.21.2";
    return config;
}

} // namespace

Result<LoraParameters> LoraParameters::load(const ModelConfig& model, LoraSettings& settings,
                                            const fs::path& folder) {
    const auto path = folder / configName;
    ANNEAL_TRY(const auto config, readJsonFile(path));
    ANNEAL_CHECK(takeOver(config, path, settings));
    ANNEAL_TRY(auto made, layOut(model, settings));
    settings.target_modules = made.settings_.target_modules;
    ANNEAL_TRY(const auto file, SafetensorsFile::open(folder / weightsName));
    ANNEAL_CHECK(checkNoOthers(*file, made.entries_));
    for (const auto& entry : made.entries_)
        ANNEAL_CHECK(readEntry(*file, entry, made.value(entry)));
    return made;
}

Status LoraParameters::save(const fs::path& folder, const std::string& baseModel) const {
    ANNEAL_CHECK(makePrivateFolder(folder));
    std::vector<TensorToWrite> tensors;
    for (const auto& entry : entries_) {
        const auto matrix = value(entry);
        tensors.push_back({entry.name,
                           TensorType::F32,
                           entry.shape,
                           {static_cast<const std::byte*>(matrix.const_data_ptr()), matrix.nbytes()}});
    }
    ANNEAL_CHECK(writeSafetensors(folder / weightsName, tensors));
    return writeFileAtomic(folder / configName, dumpJsonPretty(configOf(settings_, baseModel)));
}

} // namespace anneal
