#include "core/data/tokenizer_bpe.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/data/tokenizer_json_steps.h"

#include <algorithm>
#include <simdjson.h>

namespace anneal {

namespace {

constexpr std::uint64_t largestFile = 512u << 20;
constexpr std::int64_t largestId = 1 << 24;

/// Reads the parts of one tokenizer.json.
class JsonReader {
public:
    JsonReader(const fs::path& path, simdjson::dom::element root) : path_(path), root_(root) {}

    Result<BpePipeline> read() {
        ANNEAL_CHECK(readModel());
        ANNEAL_CHECK(readAddedTokens());
        ANNEAL_CHECK(readMerges());
        ANNEAL_CHECK(readNormalizer(root_["normalizer"], pipeline_.normalizers));
        ANNEAL_CHECK(readPreTokenizer(root_["pre_tokenizer"], pipeline_));
        ANNEAL_CHECK(readDecoder(root_["decoder"], pipeline_.decoders));
        ANNEAL_CHECK(readPostProcessor(root_["post_processor"]));
        return std::move(pipeline_);
    }

private:
    Error fault(const std::string& what) const {
        return invalidInput("Cannot use " + path_.string() + ": " + what + ".",
                            "Download the file again, or use a model with another tokenizer.");
    }

    Status readModel() {
        const auto model = root_["model"];
        const auto type = textOr(model["type"], "BPE");
        simdjson::dom::object vocabulary;
        if (type != "BPE" || model["vocab"].get_object().get(vocabulary) != simdjson::SUCCESS)
            return fault("its model is of type " + std::string(type) + ", only BPE is supported");
        if (!textOr(model["continuing_subword_prefix"], "").empty() ||
            !textOr(model["end_of_word_suffix"], "").empty())
            return fault("it marks the parts of words with a prefix or suffix, which is not supported");
        for (const auto& [piece, value] : vocabulary) {
            std::int64_t id = -1;
            if (value.get_int64().get(id) != simdjson::SUCCESS)
                return fault("token " + std::string(piece) + " has no number");
            ANNEAL_CHECK(addPiece(id, piece));
        }
        auto& options = pipeline_.model;
        options.byteFallback = flagOr(model["byte_fallback"], false);
        options.fuseUnknown = flagOr(model["fuse_unk"], false);
        options.ignoreMerges = flagOr(model["ignore_merges"], false);
        unknown_ = textOr(model["unk_token"], "");
        return {};
    }

    Status addPiece(std::int64_t id, std::string_view piece) {
        if (id < 0 || id >= largestId)
            return fault("token " + std::string(piece) + " has the impossible number " + std::to_string(id));
        if (static_cast<std::size_t>(id) >= pipeline_.pieces.size())
            pipeline_.pieces.resize(static_cast<std::size_t>(id) + 1);
        pipeline_.pieces[static_cast<std::size_t>(id)] = piece;
        return {};
    }

    Status readAddedTokens() {
        simdjson::dom::array tokens;
        if (root_["added_tokens"].get_array().get(tokens) != simdjson::SUCCESS)
            return {};
        for (const auto entry : tokens) {
            AddedToken token;
            std::int64_t id = -1;
            if (entry["id"].get_int64().get(id) != simdjson::SUCCESS)
                return fault("an added token has no id");
            token.content = textOr(entry["content"], "");
            token.special = flagOr(entry["special"], false);
            token.lstrip = flagOr(entry["lstrip"], false);
            token.rstrip = flagOr(entry["rstrip"], false);
            token.single_word = flagOr(entry["single_word"], false);
            token.normalized = flagOr(entry["normalized"], false);
            ANNEAL_CHECK(addPiece(id, token.content));
            token.id = static_cast<std::int32_t>(id);
            pipeline_.addedTokens.push_back(std::move(token));
        }
        return {};
    }

    /// Pairs, or strings of two pieces with a space between.
    Status readMerges() {
        simdjson::dom::array merges;
        if (root_["model"]["merges"].get_array().get(merges) != simdjson::SUCCESS)
            return fault("its model has no merges");
        const Vocabulary vocabulary(pipeline_.pieces);
        if (!unknown_.empty())
            pipeline_.model.unknownId = vocabulary.find(unknown_);
        std::uint32_t rank = 0;
        for (const auto merge : merges) {
            std::string_view left, right, text;
            simdjson::dom::array pair;
            if (merge.get_string().get(text) == simdjson::SUCCESS) {
                const auto space = text.find(' ');
                left = text.substr(0, space);
                right = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
            } else if (merge.get_array().get(pair) == simdjson::SUCCESS && pair.size() == 2) {
                left = textOr(pair.at(0), "");
                right = textOr(pair.at(1), "");
            }
            ANNEAL_CHECK(addMerge(vocabulary, left, right, rank++));
        }
        return {};
    }

    Status addMerge(const Vocabulary& vocabulary, std::string_view left, std::string_view right,
                    std::uint32_t rank) {
        const BpeMerge merge{vocabulary.find(left), vocabulary.find(right), rank,
                             vocabulary.find(std::string(left).append(right))};
        if (merge.left < 0 || merge.right < 0 || merge.result < 0)
            return fault("merge " + std::to_string(rank + 1) + " (\"" + std::string(left) + "\" \"" +
                         std::string(right) + "\") uses a token that the vocabulary lacks");
        pipeline_.merges.push_back(merge);
        return {};
    }

    /// TemplateProcessing around one sequence; ByteLevel there only trims offsets.
    Status readPostProcessor(JsonValue value) {
        if (isAbsent(value))
            return {};
        const auto type = textOr(value["type"], "");
        if (type == "ByteLevel")
            return {};
        simdjson::dom::array parts;
        if (type == "Sequence" && value["processors"].get_array().get(parts) == simdjson::SUCCESS) {
            for (const auto part : parts)
                ANNEAL_CHECK(readPostProcessor(JsonValue(simdjson::dom::element(part))));
            return {};
        }
        if (type != "TemplateProcessing" || value["single"].get_array().get(parts) != simdjson::SUCCESS)
            return fault("its post_processor is of type " + std::string(type) + ", which is not supported");
        bool behind = false;
        for (const auto part : parts) {
            if (part["Sequence"].error() == simdjson::SUCCESS) {
                behind = true;
                continue;
            }
            const auto name = textOr(part["SpecialToken"]["id"], "");
            ANNEAL_CHECK(addTemplateToken(value["special_tokens"][name]["ids"], behind));
        }
        return {};
    }

    Status addTemplateToken(JsonValue ids, bool behind) {
        simdjson::dom::array array;
        if (ids.get_array().get(array) != simdjson::SUCCESS)
            return fault("its post_processor names a special token without ids");
        for (const auto value : array) {
            std::int64_t id = -1;
            if (value.get_int64().get(id) != simdjson::SUCCESS || id < 0 || id >= largestId)
                return fault("its post_processor names a special token with an impossible id");
            (behind ? pipeline_.behind : pipeline_.before).push_back(static_cast<std::int32_t>(id));
        }
        return {};
    }

    const fs::path& path_;
    simdjson::dom::element root_;
    BpePipeline pipeline_;
    std::string unknown_;
};

void addConfiguredTokens(const Json& config, BpePipeline& pipeline) {
    for (auto& token : configuredAddedTokens(config)) {
        const auto known = std::ranges::find(pipeline.addedTokens, token.id, &AddedToken::id);
        if (known != pipeline.addedTokens.end() || token.id >= largestId)
            continue;
        const auto at = static_cast<std::size_t>(token.id);
        if (at >= pipeline.pieces.size())
            pipeline.pieces.resize(at + 1);
        pipeline.pieces[at] = token.content;
        pipeline.addedTokens.push_back(std::move(token));
    }
}

std::int32_t idOf(const BpePipeline& pipeline, const std::string& piece, std::int64_t fallback) {
    const auto found = piece.empty() ? pipeline.pieces.end() : std::ranges::find(pipeline.pieces, piece);
    return found == pipeline.pieces.end() ? static_cast<std::int32_t>(fallback)
                                          : static_cast<std::int32_t>(found - pipeline.pieces.begin());
}

} // namespace

std::string configuredToken(const Json& config, const char* key) {
    const auto found = config.find(key);
    if (found == config.end())
        return {};
    if (found->is_string())
        return found->get<std::string>();
    return found->is_object() && found->contains("content") && found->at("content").is_string()
               ? found->at("content").get<std::string>()
               : std::string();
}

std::vector<AddedToken> configuredAddedTokens(const Json& config) {
    std::vector<AddedToken> tokens;
    const auto found = config.find("added_tokens_decoder");
    if (found == config.end() || !found->is_object())
        return tokens;
    for (const auto& [key, entry] : found->items()) {
        AddedToken token;
        const auto flag = [&entry = entry](const char* name) {
            return entry.contains(name) && entry[name].is_boolean() && entry[name].get<bool>();
        };
        const auto id = parseInteger(key);
        if (!id || *id < 0 || *id >= largestId || !entry.is_object() || !entry.contains("content") ||
            !entry["content"].is_string())
            continue;
        token.id = static_cast<std::int32_t>(*id);
        token.content = entry["content"].get<std::string>();
        token.special = flag("special");
        token.lstrip = flag("lstrip");
        token.rstrip = flag("rstrip");
        token.single_word = flag("single_word");
        token.normalized = flag("normalized");
        tokens.push_back(std::move(token));
    }
    return tokens;
}

Result<BpePipeline> pipelineFromJson(const TokenizerFiles& files, const ModelConfig& config) {
    const auto& path = files.tokenizerJson;
    ANNEAL_TRY(const auto text, readFile(path, largestFile));
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    const simdjson::padded_string padded(text);
    if (parser.parse(padded).get(root) != simdjson::SUCCESS || !root.is_object())
        return invalidInput("Cannot read " + path.string() + ": it is not valid JSON.",
                            "Download the file again.");
    ANNEAL_TRY(auto pipeline, JsonReader(path, root).read());
    addConfiguredTokens(files.tokenizerConfig, pipeline);
    const auto token = [&](const char* key, std::int64_t fallback) {
        return idOf(pipeline, configuredToken(files.tokenizerConfig, key), fallback);
    };
    pipeline.bosId = token("bos_token", config.bos_token_id);
    pipeline.eosId = token("eos_token", config.eos_token_ids.empty() ? -1 : config.eos_token_ids.front());
    pipeline.padId = token("pad_token", config.pad_token_id);
    pipeline.fingerprint = Fingerprint().add(hexHash(text)).add(dumpJson(files.tokenizerConfig)).hex();
    return pipeline;
}

} // namespace anneal
