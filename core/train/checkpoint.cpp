#include "core/train/checkpoint.h"

#include "core/base/text.h"
#include "core/modelfile/safetensors.h"

#include <ATen/ops/from_blob.h>
#include <algorithm>

namespace anneal {

namespace {

constexpr const char* optimizerFile = "optimizer.safetensors";
constexpr const char* stateFile = "trainer.json";

TensorToWrite flatTensor(const char* name, const at::Tensor& tensor) {
    return {
        name,
        TensorType::F32,
        {tensor.numel()},
        {static_cast<const std::byte*>(tensor.const_data_ptr()), static_cast<std::size_t>(tensor.nbytes())}};
}

Status copyFlat(const SafetensorsFile& file, const char* name, at::Tensor& into) {
    const TensorView* view = file.find(name);
    if (!view || view->type != TensorType::F32 || view->elements() != into.numel())
        return invalidInput(
            "The checkpoint file " + file.path().string() + " holds no '" + name + "' with " +
                std::to_string(into.numel()) + " numbers.",
            "Resume with the run's own configuration: lora.rank and lora.target_modules must be unchanged.");
    std::copy_n(reinterpret_cast<const float*>(view->bytes.data()), into.numel(),
                into.mutable_data_ptr<float>());
    return {};
}

/// Adapter and two moments in fp32, and a little for the JSON files.
std::uint64_t bytesNeeded(const LoraParameters& lora) {
    return static_cast<std::uint64_t>(lora.values().nbytes()) * 3 + (1u << 20);
}

Status checkSpace(const fs::path& folder, const LoraParameters& lora) {
    ANNEAL_TRY(const auto available, freeBytes(folder));
    if (available >= bytesNeeded(lora))
        return {};
    return Error{
        "No disk space for a checkpoint in " + folder.string() + ": it needs " +
            formatBytes(static_cast<double>(bytesNeeded(lora))) + " and " +
            formatBytes(static_cast<double>(available)) + " are free.",
        "Free disk space or lower checkpoint.keep, then resume the run: its earlier checkpoints are intact.",
        ErrorKind::RunFailed};
}

Status writeParts(const fs::path& folder, const LoraParameters& lora, AdamW& optimizer,
                  const TrainerState& state, const std::string& baseModel) {
    ANNEAL_CHECK(lora.save(folder, baseModel));
    ANNEAL_CHECK(
        writeSafetensors(folder / optimizerFile, {flatTensor("exp_avg", optimizer.firstMoment()),
                                                  flatTensor("exp_avg_sq", optimizer.secondMoment())}));
    ANNEAL_CHECK(writeFileAtomic(folder / stateFile, dumpJsonPretty(toJson(state))));
    return writeManifest(folder);
}

std::int64_t folderBytes(const fs::path& folder) {
    std::int64_t total = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        total += static_cast<std::int64_t>(entry.file_size(ignored));
    return total;
}

} // namespace

CheckpointStore::CheckpointStore(RunFolder folder, std::string baseModel, std::int64_t keep)
    : folder_(std::move(folder)), baseModel_(std::move(baseModel)), keep_(std::max<std::int64_t>(1, keep)) {}

Result<CheckpointInfo> CheckpointStore::save(const LoraParameters& lora, AdamW& optimizer,
                                             const TrainerState& state) const {
    ANNEAL_CHECK(makePrivateFolder(folder_.checkpoints()));
    ANNEAL_CHECK(checkSpace(folder_.checkpoints(), lora));
    const fs::path target = folder_.checkpoint(state.step);
    const fs::path temporary = folder_.checkpoints() / (".saving-" + target.filename().string());
    std::error_code error;
    fs::remove_all(temporary, error);
    ANNEAL_CHECK(makePrivateFolder(temporary));
    if (auto written = writeParts(temporary, lora, optimizer, state, baseModel_); !written) {
        fs::remove_all(temporary, error);
        auto failure = std::move(written).error();
        failure.kind = ErrorKind::RunFailed;
        failure.fix = "Free disk space or check the folder's permissions, then resume the run: its earlier "
                      "checkpoints are intact.";
        return failure;
    }
    fs::remove_all(target, error); // a superseded one of the same step
    fs::rename(temporary, target, error);
    if (error)
        return fileError("save the checkpoint", target, error.value());
    deleteOld(state.best, state.step);
    return CheckpointInfo{state.step, target, folderBytes(target)};
}

void CheckpointStore::deleteOld(const std::optional<BestResult>& best, std::int64_t newestStep) const {
    auto all = listCheckpoints(folder_);
    std::erase_if(
        all, [&](const CheckpointInfo& c) { return c.step > newestStep || (best && c.step == best->step); });
    const auto keep = static_cast<std::size_t>(keep_);
    std::error_code ignored;
    for (std::size_t i = 0; i + keep < all.size(); ++i)
        fs::remove_all(all[i].path, ignored);
}

std::optional<CheckpointInfo> CheckpointStore::newest() const {
    auto all = listCheckpoints(folder_);
    while (!all.empty() && !verifyManifest(all.back().path, true))
        all.pop_back();
    return all.empty() ? std::nullopt : std::optional(all.back());
}

Result<TrainerState> CheckpointStore::load(const CheckpointInfo& checkpoint, LoraParameters& lora,
                                           AdamW& optimizer) const {
    ANNEAL_TRY(const auto adapter, SafetensorsFile::open(checkpoint.path / "adapter_model.safetensors"));
    for (const auto& entry : lora.entries()) {
        auto into = lora.value(entry);
        ANNEAL_CHECK(copyFlat(*adapter, entry.name.c_str(), into));
    }
    ANNEAL_TRY(const auto moments, SafetensorsFile::open(checkpoint.path / optimizerFile));
    ANNEAL_CHECK(copyFlat(*moments, "exp_avg", optimizer.firstMoment()));
    ANNEAL_CHECK(copyFlat(*moments, "exp_avg_sq", optimizer.secondMoment()));
    ANNEAL_TRY(const auto json, readJsonFile(checkpoint.path / stateFile, 1 << 20));
    TrainerState state;
    if (!fromJson(json, state))
        return invalidInput("The file " + (checkpoint.path / stateFile).string() + " is not a trainer state.",
                            "Resume from another checkpoint.");
    optimizer.setSteps(state.optimizer_steps);
    return state;
}

} // namespace anneal
