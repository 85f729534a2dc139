#include "core/run/config_service.h"

#include "core/base/system.h"
#include "core/base/text.h"
#include "core/modelfile/model_source.h"
#include "core/run/machine_report.h"

#include <algorithm>

namespace anneal {

namespace {

constexpr const char* priceList = "machines.yaml"; ///< the one file among the presets that is no recipe

void addTokenTexts(Json& inspection, const Tokenizer& tokenizer) {
    for (auto& row : inspection["rows"]) {
        Json texts = Json::array();
        for (const auto& id : row["input_ids"])
            texts.push_back(tokenizer.tokenText(id.get<std::int32_t>()));
        row["tokens"] = std::move(texts);
    }
}

bool isModelPath(const fs::path& path) {
    std::error_code ignored;
    return path.extension() == ".gguf" || path.extension() == ".safetensors" ||
           fs::is_directory(path, ignored);
}

/// The first comment of a recipe is its title.
std::string titleOf(const fs::path& recipe) {
    const auto text = readFile(recipe, 1u << 20);
    if (!text || !text->starts_with('#'))
        return recipe.stem().string();
    const auto line = std::string_view(*text).substr(0, text->find('\n'));
    return std::string(trim(
        line.substr(line.find_first_not_of('#') == line.npos ? line.size() : line.find_first_not_of('#'))));
}

} // namespace

Result<LoadedConfig> loadWithOverrides(const fs::path& path, const std::vector<std::string>& overrides) {
    ANNEAL_TRY(auto loaded, loadConfig(path));
    for (const auto& assignment : overrides)
        applyOverride(loaded, assignment);
    std::error_code error;
    const auto absolute = fs::absolute(path, error);
    resolvePaths(loaded.config, (error ? path : absolute).parent_path());
    return loaded;
}

Result<Json> inspectConfig(const RunConfig& config, std::int64_t first, std::int64_t count, bool withTokens,
                           const CancelToken& cancel) {
    ANNEAL_TRY(const auto model, openModel(config.model.path));
    ANNEAL_TRY(const auto inspection, inspectData(config, *model, first, count, cancel));
    Json json = toJson(inspection);
    if (withTokens) {
        ANNEAL_TRY(const auto tokenizer, loadTokenizer(*model));
        addTokenTexts(json, *tokenizer);
    }
    return json;
}

Result<Plan> planConfig(const RunConfig& config, const std::optional<DataCounts>& counts) {
    ANNEAL_TRY(const auto model, openModel(config.model.path));
    PlanInput input{config, model->config(), counts, {}, localMachine()};
    if (auto catalogue = loadCatalogue())
        input.catalogue = *std::move(catalogue);
    else
        input.catalogue.problems.push_back(
            {"cost.provider", 0, Severity::Warning, catalogue.error().message, catalogue.error().fix});
    return makePlan(input);
}

Result<PreparedData> prepareConfig(const RunConfig& config, const PrepareCallback& progress,
                                   const CancelToken& cancel) {
    ANNEAL_TRY(const auto model, openModel(config.model.path));
    return prepareData(config, *model, progress, cancel);
}

Result<Json> detectPath(const std::string& path) {
    if (!isModelPath(path)) {
        ANNEAL_TRY(auto found, detectData(path));
        found["container"] = found.value("kind", std::string()); // JSONL, CSV, ...
        found["kind"] = "data";
        return found;
    }
    ANNEAL_TRY(const auto model, openModel(path));
    return Json{{"kind", "model"},
                {"format", model->format()},
                {"reason", "a model of the family " + model->config().family},
                {"rows", nullptr},
                {"columns", Json::array()}};
}

Result<Json> modelJson(const std::string& path) {
    ANNEAL_TRY(const auto model, openModel(path));
    const auto& config = model->config();
    Json linears = Json::array();
    for (const auto& shape : linearShapes(config))
        linears.push_back(shape.name);
    return Json{{"name", model->name()},
                {"path", model->path().string()},
                {"format", model->format()},
                {"family", config.family},
                {"parameters", config.totalParameters()},
                {"layers", config.num_hidden_layers},
                {"hidden_size", config.hidden_size},
                {"intermediate_size", config.intermediate_size},
                {"attention_heads", config.num_attention_heads},
                {"key_value_heads", config.num_key_value_heads},
                {"vocabulary", config.vocab_size},
                {"max_position_embeddings", config.max_position_embeddings},
                {"dtype", config.dtype},
                {"has_weights", model->hasWeights()},
                {"target_modules", linears},
                {"template", model->chatTemplate()}};
}

Json presetsJson() {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator it(presetsFolder(), error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".yaml" && it->path().filename() != priceList)
            files.push_back(it->path());
    std::sort(files.begin(), files.end());
    Json presets = Json::array();
    for (const auto& file : files)
        if (const auto loaded = loadConfig(file); loaded && !hasError(loaded->problems))
            presets.push_back({{"name", file.stem().string()},
                               {"title", titleOf(file)},
                               {"path", file.string()},
                               {"config", configToJson(loaded->config)}});
    return {{"presets", presets}};
}

std::string runCommandLine(const std::string& file) {
    const bool plain =
        file.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+@:,") ==
        std::string::npos;
    if (plain)
        return "anneal run " + file;
    std::string quoted = "'";
    for (const char c : file)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return "anneal run " + quoted + "'";
}

} // namespace anneal
