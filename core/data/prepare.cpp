#include "core/data/prepare.h"

#include "core/base/hash.h"
#include "core/base/system.h"
#include "core/base/text.h"
#include "core/data/prepare_with.h"
#include "core/data/store_builder.h"

#include <chrono>
#include <thread>

namespace anneal {

namespace {

/// Raised whenever the same sources and settings give other tokens or another file layout.
constexpr int preparedVersion = 1;
constexpr std::uint64_t wholeHashLimit = 1u << 30;
constexpr std::size_t edgeBytes = 1 << 20;

/// What a file holds: a hash of all of it, for large ones of size, time of change and both ends.
Result<std::string> fileIdentity(const std::string& path) {
    ANNEAL_TRY(const auto file, MappedFile::open(path));
    const auto text = file.text();
    if (text.size() <= wholeHashLimit)
        return hexHash(text);
    return std::to_string(text.size()) + "/" + formatDouble(modifiedSeconds(path)) + "/" +
           hexHash(text.substr(0, edgeBytes)) + hexHash(text.substr(text.size() - edgeBytes));
}

Result<std::string> dataFingerprint(const RunConfig& config, const DataTools& tools) {
    const auto& data = config.data;
    Fingerprint fingerprint;
    fingerprint.add(std::to_string(preparedVersion))
        .add(tools.tokenizer->fingerprint())
        .add(tools.templateText);
    fingerprint.add(data.loss_on).add(std::to_string(data.max_length)).add(data.system_prompt);
    for (const auto& source : data.train) {
        ANNEAL_TRY(const auto identity, fileIdentity(source.path));
        fingerprint.add(source.path).add(source.format).add(identity);
    }
    fingerprint.add(data.validation);
    if (const auto share = parseDouble(data.validation); share && *share > 0) {
        fingerprint.add(std::to_string(config.training.seed));
    } else if (!share) {
        ANNEAL_TRY(const auto identity, fileIdentity(data.validation));
        fingerprint.add(identity);
    }
    return fingerprint.hex();
}

/// Waits for the lock in steps, so that it can be given up.
Result<FileLock> waitForLock(const fs::path& path, const PrepareCallback& progress,
                             const CancelToken& cancel) {
    bool told = false;
    for (;;) {
        ANNEAL_TRY(auto lock, FileLock::lockUnlessHeld(path));
        if (lock)
            return *std::move(lock);
        if (cancel.cancelled())
            return preparingStopped();
        if (!told && progress)
            progress({"waiting for another process that prepares the same data", 0, 0, "rows"});
        told = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

/// Removes a folder that a failed or killed preparation left behind.
Status removeLeftovers(const fs::path& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    return error ? Status(fileError("remove", folder, error.value())) : Status();
}

Status buildAndPublish(StoreBuilder& builder, const fs::path& partial, const fs::path& folder) {
    ANNEAL_CHECK(removeLeftovers(partial));
    ANNEAL_CHECK(makePrivateFolder(partial));
    auto built = builder.build(partial);
    if (!built.ok()) {
        (void)removeLeftovers(partial);
        return built;
    }
    ANNEAL_CHECK(removeLeftovers(folder));
    std::error_code error;
    fs::rename(partial, folder, error);
    return error ? Status(fileError("write", folder, error.value())) : Status();
}

} // namespace

Result<PreparedData> openPreparedData(const fs::path& folder) {
    PreparedData data;
    data.folder = folder;
    ANNEAL_TRY(data.train, TokenStore::open(folder / "train"));
    ANNEAL_TRY(data.validation, TokenStore::open(folder / "validation"));
    return data;
}

Result<PreparedData> prepareDataWith(const RunConfig& config, const DataTools& tools,
                                     const PrepareCallback& progress, const CancelToken& cancel) {
    if (config.data.train.empty())
        return invalidInput("No training data is given.", "Set data.train to a list of {path: FILE}.");
    ANNEAL_TRY(const auto fingerprint, dataFingerprint(config, tools));
    const auto root = cacheFolder() / "tokens";
    const auto folder = root / fingerprint;
    if (auto ready = openPreparedData(folder))
        return ready;
    ANNEAL_CHECK(makePrivateFolder(root));
    ANNEAL_TRY(const auto lock, waitForLock(root / (fingerprint + ".lock"), progress, cancel));
    if (auto ready = openPreparedData(folder)) // another process was faster
        return ready;
    StoreBuilder builder(config, tools, fingerprint, progress, cancel);
    ANNEAL_CHECK(buildAndPublish(builder, root / ("." + fingerprint + ".partial"), folder));
    return openPreparedData(folder);
}

Result<PreparedData> prepareData(const RunConfig& config, const ModelSource& model,
                                 const PrepareCallback& progress, const CancelToken& cancel) {
    ANNEAL_TRY(const auto tools, openDataTools(model, config.data));
    return prepareDataWith(config, tools, progress, cancel);
}

} // namespace anneal
