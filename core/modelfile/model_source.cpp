#include "core/modelfile/model_source.h"

#include "core/modelfile/model_parts.h"

namespace anneal {

Result<std::shared_ptr<const ModelSource>> openModel(const std::string& path) {
    ANNEAL_TRY(const auto resolved, resolveModelPath(path));
    std::error_code ignored;
    if (fs::is_directory(resolved, ignored))
        return openFolderModel(resolved, path);
    if (resolved.extension() == ".safetensors")
        return invalidInput(resolved.string() + " is a file of weights, not a model.",
                            "Give the folder that holds it, with its config.json.");
    return openGgufModel(resolved, path);
}

} // namespace anneal
