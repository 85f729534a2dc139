#include "core/base/system.h"
#include "core/base/text.h"
#include "core/schema/checker.h"

#include <algorithm>

namespace anneal::schema {

namespace {

/// Where the hub cache keeps "organisation/model".
fs::path hubFolder(std::string name) {
    const auto slash = name.find('/');
    return hubCacheFolder() / ("models--" + name.replace(slash, 1, "--")) / "snapshots";
}

void checkHubModel(Checker& checker, const std::string& name) {
    std::error_code error;
    const auto folder = hubFolder(name);
    if (!folderExists(folder) || fs::is_empty(folder, error))
        checker.error("model.path",
                      "The model " + name + " is neither a path nor in the local Hugging Face cache",
                      "Download it with `hf download " + name + "`.");
}

void checkModelPath(Checker& checker, const std::string& path) {
    if (path.empty())
        return checker.error("model.path", "No model is given",
                             "Set model.path to a folder with config.json or to a GGUF file.");
    if (!pathExists(path) && isHubName(path))
        return checkHubModel(checker, path);
    if (!pathExists(path))
        return checker.error("model.path", "The model " + path + " does not exist", "Check the path.");
    if (folderExists(path) && !pathExists(fs::path(path) / "config.json"))
        return checker.error("model.path", "The folder " + path + " holds no config.json",
                             "Give the folder of a Hugging Face model, or a GGUF file.");
    if (!folderExists(path) && lowerAscii(fs::path(path).extension().string()) != ".gguf")
        checker.error("model.path", "The model " + path + " is neither a folder nor a GGUF file",
                      "Give the folder that holds config.json and the safetensors files.");
}

/// The linear layers of the decoder; see the table's known values.
void checkTargets(Checker& checker, const std::vector<std::string>& targets) {
    constexpr std::string_view key = "lora.target_modules";
    if (targets.empty())
        return checker.error(key, "No layer gets an adapter, so nothing could be learned", "Use all-linear.");
    const auto& known = findField(key)->choices;
    for (const auto& target : targets) {
        if (std::find(known.begin(), known.end(), target) != known.end())
            continue;
        const auto meant = nearest(target, known);
        checker.error(key, "lora.target_modules names no linear layer of a decoder: " + inQuotes(target),
                      (meant ? "Did you mean " + *meant + "? " : std::string()) + "Known are " +
                          join(known, ", ") + ".");
    }
    if (targets.size() > 1 && std::find(targets.begin(), targets.end(), "all-linear") != targets.end())
        checker.note(key, "all-linear already contains the other target modules", "Leave the others out.");
}

} // namespace

void checkModel(Checker& checker) { checkModelPath(checker, checker.config().model.path); }

void checkLora(Checker& checker) {
    const auto& lora = checker.config().lora;
    checkTargets(checker, lora.target_modules);
    if (lora.use_dora)
        checker.error("lora.use_dora", "DoRA is not available in this version",
                      "Set lora.use_dora to false.");
    if (lora.init_adapter && !pathExists(fs::path(*lora.init_adapter) / "adapter_config.json"))
        checker.error("lora.init_adapter",
                      "The folder " + *lora.init_adapter + " holds no adapter_config.json",
                      "Give the folder of a PEFT adapter.");
}

} // namespace anneal::schema
