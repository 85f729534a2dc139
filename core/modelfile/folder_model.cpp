#include "core/modelfile/model_parts.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/modelfile/safetensors.h"

#include <algorithm>
#include <simdjson.h>

namespace anneal {

namespace {

constexpr std::uint64_t largestTextFile = 64u << 20;

bool present(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// The JSON object of a file that a folder may lack; null when it does.
Result<Json> optionalJson(const fs::path& path) {
    if (!present(path))
        return Json(nullptr);
    return readJsonFile(path, largestTextFile);
}

/// Files that hold weights, in the order of their names.
Result<std::vector<std::string>> weightFiles(const fs::path& folder) {
    const auto index = folder / "model.safetensors.index.json";
    if (!present(index))
        return present(folder / "model.safetensors") ? std::vector<std::string>{"model.safetensors"}
                                                     : std::vector<std::string>{};
    ANNEAL_TRY(const auto text, readFile(index, largestTextFile));
    simdjson::dom::parser parser;
    simdjson::dom::object map;
    if (parser.parse(simdjson::padded_string(text))["weight_map"].get_object().get(map) != simdjson::SUCCESS)
        return invalidInput("Cannot read " + index.string() + ": it holds no weight_map.",
                            "Download the file again.");
    std::vector<std::string> files;
    for (const auto& [tensor, value] : map) {
        std::string_view file;
        if (value.get_string().get(file) != simdjson::SUCCESS || file.find('/') != std::string_view::npos)
            return invalidInput("Cannot read " + index.string() + ": it names no file for tensor " +
                                    std::string(tensor) + ".",
                                "Download the file again.");
        files.emplace_back(file);
    }
    std::ranges::sort(files);
    files.erase(std::ranges::unique(files).begin(), files.end());
    return files;
}

/// The template of tokenizer_config.json: a string, or a list of named ones of which "default" counts.
std::string configuredTemplate(const Json& config) {
    const auto found = config.find("chat_template");
    if (found == config.end())
        return {};
    if (found->is_string())
        return found->get<std::string>();
    for (const auto& entry : *found)
        if (entry.is_object() && entry.value("name", Json()) == "default" && entry.contains("template") &&
            entry["template"].is_string())
            return entry["template"].get<std::string>();
    return {};
}

class FolderModel : public ModelSource {
public:
    static Result<std::shared_ptr<const ModelSource>> open(const fs::path& path, const std::string& name) {
        auto model = std::make_shared<FolderModel>();
        model->path_ = path;
        model->name_ = name;
        model->format_ = "safetensors";
        ANNEAL_CHECK(model->readConfig());
        ANNEAL_CHECK(model->readTokenizer());
        ANNEAL_CHECK(model->readWeights());
        model->fingerprint_ = model->print_.hex();
        if (model->hasWeights())
            ANNEAL_CHECK(checkWeights(*model));
        return std::shared_ptr<const ModelSource>(std::move(model));
    }

    const TensorView* find(std::string_view name) const override {
        for (const auto& file : files_)
            if (const auto* tensor = file->find(name))
                return tensor;
        return nullptr;
    }
    std::vector<std::string> tensorNames() const override {
        std::vector<std::string> names;
        for (const auto& file : files_)
            for (const auto& tensor : file->tensors())
                names.push_back(tensor.name);
        std::ranges::sort(names);
        return names;
    }
    bool hasWeights() const override { return !files_.empty(); }

private:
    Status readConfig() {
        const auto path = path_ / "config.json";
        if (!present(path))
            return notAModel();
        ANNEAL_TRY(const auto json, readJsonFile(path, largestTextFile));
        ANNEAL_TRY(config_, modelConfigFromJson(json, path.string()));
        if (const auto found = json.find("quantization_config"); found != json.end() && found->is_object())
            return invalidInput("The weights in " + path_.string() + " are quantized already (" +
                                    dumpJson(found->value("quant_method", Json("unknown"))) +
                                    "), which is not supported.",
                                "Give the folder of the original model; it is quantized while loading.");
        print_.add(dumpJson(json));
        return readGenerationConfig();
    }

    /// Generation ends at its ids too: chat models list the end of a turn only there.
    Status readGenerationConfig() {
        ANNEAL_TRY(const auto json, optionalJson(path_ / "generation_config.json"));
        if (!json.is_object() || !json.contains("eos_token_id"))
            return {};
        const auto& eos = json["eos_token_id"];
        for (const auto& id : eos.is_array() ? eos : Json::array({eos})) {
            if (!id.is_number_integer())
                continue;
            const auto value = id.get<std::int64_t>();
            if (std::ranges::find(config_.eos_token_ids, value) == config_.eos_token_ids.end())
                config_.eos_token_ids.push_back(value);
        }
        return {};
    }

    Status readTokenizer() {
        if (present(path_ / "tokenizer.json"))
            tokenizer_.tokenizerJson = path_ / "tokenizer.json";
        if (present(path_ / "tokenizer.model"))
            tokenizer_.sentencePieceModel = path_ / "tokenizer.model";
        for (const char* file : {"special_tokens_map.json", "tokenizer_config.json"}) {
            ANNEAL_TRY(const auto json, optionalJson(path_ / file));
            if (!json.is_null() && !json.is_object())
                return invalidInput((path_ / file).string() + " has to hold a JSON object.",
                                    "Download the file again.");
            for (const auto& [key, value] : json.items())
                tokenizer_.tokenizerConfig[key] = value;
        }
        return readChatTemplate();
    }

    Status readChatTemplate() {
        const auto file = path_ / "chat_template.jinja";
        if (present(file)) {
            ANNEAL_TRY(chatTemplate_, readFile(file, largestTextFile));
            return {};
        }
        chatTemplate_ = configuredTemplate(tokenizer_.tokenizerConfig);
        if (!chatTemplate_.empty())
            return {};
        ANNEAL_TRY(const auto json, optionalJson(path_ / "chat_template.json"));
        if (json.is_object())
            chatTemplate_ = configuredTemplate(json);
        return {};
    }

    Status readWeights() {
        ANNEAL_TRY(const auto names, weightFiles(path_));
        for (const auto& name : names) {
            if (!present(path_ / name))
                return invalidInput("File " + name + " is missing in " + path_.string() + ", " +
                                        std::to_string(names.size()) + " belong to the model.",
                                    "Download the model again.");
            ANNEAL_TRY(auto file, SafetensorsFile::open(path_ / name));
            addToFingerprint(*file);
            files_.push_back(std::move(file));
        }
        return {};
    }

    void addToFingerprint(const SafetensorsFile& file) {
        for (const auto& tensor : file.tensors()) {
            print_.add(tensor.name).add(tensorTypeName(tensor.type));
            for (const auto dim : tensor.shape)
                print_.add(std::to_string(dim));
        }
        std::error_code ignored;
        print_.add(std::to_string(fs::file_size(file.path(), ignored)))
            .add(formatDouble(modifiedSeconds(file.path())));
    }

    Error notAModel() const {
        if (present(path_ / "adapter_config.json"))
            return invalidInput(path_.string() + " holds an adapter, not a model.",
                                "Give the base model, and the adapter as lora.init_adapter.");
        return invalidInput(path_.string() + " holds no config.json and no GGUF file.",
                            "Give the folder of a Hugging Face model or a GGUF file.");
    }

    std::vector<std::shared_ptr<SafetensorsFile>> files_;
    Fingerprint print_;
};

} // namespace

Result<std::shared_ptr<const ModelSource>> openFolderModel(const fs::path& path, const std::string& name) {
    return FolderModel::open(path, name);
}

} // namespace anneal
