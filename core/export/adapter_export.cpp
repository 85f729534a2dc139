#include "core/export/adapter_export.h"

#include "core/base/text.h"
#include "core/modelfile/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace anneal {

namespace {

constexpr std::array adapterFiles = {"adapter_model.safetensors", "adapter_config.json"};

Status checkOutput(const fs::path& output, std::uint64_t bytes) {
    std::error_code ignored;
    if (fs::exists(output, ignored) && !fs::is_directory(output, ignored))
        return invalidInput("The output " + output.string() + " is a file.",
                            "Give the path of a new folder.");
    for (const auto& entry : fs::directory_iterator(output, ignored))
        if (std::ranges::find(adapterFiles, entry.path().filename().string()) == adapterFiles.end())
            return invalidInput("The output folder " + output.string() + " holds other files, such as " +
                                    entry.path().filename().string() + ".",
                                "Give an empty or a new folder.");
    ANNEAL_TRY(const auto available, freeBytes(output));
    if (available < bytes)
        return failure("No disk space for the adapter in " + output.string() + ": it needs " +
                           formatBytes(static_cast<double>(bytes)) + " and " +
                           formatBytes(static_cast<double>(available)) + " are free.",
                       "Free disk space or choose another folder.");
    return {};
}

bool hasNonZero(const TensorView& tensor) {
    return std::ranges::any_of(tensor.bytes, [](std::byte b) { return b != std::byte{0}; });
}

/// Reads the written file as a stranger would: pairs of A and B with the configured rank.
Result<Json> checkAdapter(const fs::path& folder) {
    ANNEAL_TRY(const auto config, readJsonFile(folder / adapterFiles[1], 1 << 20));
    ANNEAL_TRY(const auto file, SafetensorsFile::open(folder / adapterFiles[0]));
    std::int64_t parameters = 0, nonzero = 0;
    for (const auto& tensor : file->tensors()) {
        const bool isA = tensor.name.ends_with(".lora_A.weight");
        if (!isA && !tensor.name.ends_with(".lora_B.weight"))
            return failure("The adapter holds a tensor that is no LoRA matrix: " + tensor.name + ".");
        const auto rank = tensor.shape.size() == 2 ? tensor.shape[isA ? 0 : 1] : 0;
        if (rank != config.value("r", std::int64_t{0}))
            return failure("The tensor " + tensor.name + " does not have the rank of adapter_config.json.");
        parameters += tensor.elements();
        nonzero += !isA && hasNonZero(tensor);
    }
    if (file->tensors().empty())
        return failure("The adapter in " + folder.string() + " is empty.",
                       "Train at least one step before exporting.");
    return Json{{"tensors", file->tensors().size()}, {"parameters", parameters}, {"nonzero_b", nonzero}};
}

} // namespace

Result<Json> exportAdapter(const fs::path& checkpoint, const fs::path& output) {
    std::uint64_t bytes = 0;
    std::error_code error;
    for (const auto* name : adapterFiles)
        bytes += fs::file_size(checkpoint / name, error);
    if (error)
        return invalidInput("There is no adapter in " + checkpoint.string() + ".",
                            "Export a run that has saved a checkpoint.");
    ANNEAL_CHECK(checkOutput(output, bytes));
    ANNEAL_CHECK(makePrivateFolder(output));
    Json files = Json::array();
    for (const auto* name : adapterFiles) {
        ANNEAL_TRY(const auto content, MappedFile::open(checkpoint / name));
        ANNEAL_CHECK(writeFileAtomic(output / name, content.text(), 0644));
        files.push_back(name);
    }
    ANNEAL_TRY(const auto checked, checkAdapter(output));
    return Json{{"format", "peft"},
                {"path", fs::absolute(output).string()},
                {"files", files},
                {"bytes", bytes},
                {"checked", checked}};
}

} // namespace anneal
