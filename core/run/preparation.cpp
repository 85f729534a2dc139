#include "core/run/preparation.h"

#include "core/base/system.h"
#include "core/modelfile/model_source.h"
#include "core/run/run_record.h"

namespace anneal {

namespace {

bool isPrepared(const LoadedConfig& loaded) {
    const auto folder = loaded.resolved.find("data_folder");
    return folder != loaded.resolved.end() && folder->is_string() &&
           openPreparedData(folder->get<std::string>()).ok();
}

Json splitJson(const TokenStore& store) {
    return {
        {"rows", store.rows()}, {"tokens", store.tokens()}, {"supervised_tokens", store.supervisedTokens()}};
}

} // namespace

bool ProgressThrottle::due(const std::string& phase) {
    const double now = monotonicSeconds();
    if (phase == phase_ && now - last_ < 1)
        return false;
    phase_ = phase;
    last_ = now;
    return true;
}

Status prepareRun(const RunFolder& folder, const PrepareCallback& progress, const CancelToken& cancel) {
    ANNEAL_TRY(auto loaded, readRunConfig(folder));
    if (auto error = firstError(validate(loaded)))
        return *std::move(error);
    if (isPrepared(loaded))
        return {};
    ANNEAL_TRY(const auto model, openModel(loaded.config.model.path));
    ANNEAL_TRY(const auto data, prepareData(loaded.config, *model, progress, cancel));
    auto& resolved = loaded.resolved;
    resolved["model_path"] = model->path().string();
    resolved["model_fingerprint"] = model->fingerprint();
    resolved["data_folder"] = data.folder.string();
    resolved["data_fingerprint"] = data.train.fingerprint();
    return writeRunConfig(folder, loaded.config, resolved);
}

Json preparedJson(const PreparedData& data) {
    Json train = splitJson(data.train);
    train["summary"] = data.train.summary();
    return {{"folder", data.folder.string()}, {"train", train}, {"validation", splitJson(data.validation)}};
}

} // namespace anneal
