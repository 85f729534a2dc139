#include "core/data/tokenizer_bpe.h"

#include "core/base/hash.h"
#include "core/data/tokenizer_text.h"

#include <algorithm>
#include <array>

namespace anneal {

namespace {

/// tokenizer.ggml.token_type.
enum class PieceType { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

/// How a byte-level vocabulary cuts words, by tokenizer.ggml.pre.
struct WordCut {
    std::string_view names; ///< each between spaces
    std::string_view pattern;
    bool digitsFirst = false, ignoreMerges = false, nfc = false, addBos = false;
};

constexpr std::string_view llama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view tekkenPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

const std::array<WordCut, 5>& wordCuts() {
    static const std::array<WordCut, 5> cuts{{
        {" default gpt-2 gpt2 phi-2 mpt olmo jais roberta-bpe ", gpt2Pattern},
        {" smollm starcoder refact command-r codeshell ", gpt2Pattern, true},
        {" llama-bpe llama3 llama-v3 falcon3 ", llama3Pattern, false, true, false, true},
        {" qwen2 deepseek-r1-qwen stablelm2 ", qwen2Pattern, false, false, true},
        {" tekken ", tekkenPattern, false, true, false, true},
    }};
    return cuts;
}

/// Values of one GGUF file's tokenizer with their types checked.
class GgmlReader {
public:
    GgmlReader(const Json& ggml, std::string_view source) : ggml_(ggml), source_(source) {}

    Result<BpePipeline> read() {
        ANNEAL_CHECK(readPieces());
        const auto kind = text("model");
        if (kind != "gpt2" && kind != "llama")
            return fault("its tokenizer is of kind \"" + kind + "\", supported are gpt2 and llama");
        ANNEAL_CHECK(kind == "gpt2" ? readByteLevel() : readSentencePiece());
        addSpecialTokens(kind == "llama");
        addEnds(kind == "llama");
        return std::move(pipeline_);
    }

private:
    Error fault(const std::string& what) const {
        return invalidInput("Cannot use the tokenizer in " + std::string(source_) + ": " + what + ".",
                            "Use another GGUF file of the model, or its Hugging Face folder.");
    }
    const Json* find(const char* key) const {
        const auto found = ggml_.find(key);
        return found == ggml_.end() ? nullptr : &*found;
    }
    std::string text(const char* key) const {
        const auto* value = find(key);
        return value && value->is_string() ? value->get<std::string>() : std::string();
    }
    bool flag(const char* key, bool fallback) const {
        const auto* value = find(key);
        return value && value->is_boolean() ? value->get<bool>() : fallback;
    }
    std::int32_t id(const char* key) const {
        const auto* value = find(key);
        const bool inside = value && value->is_number_integer() && value->get<std::int64_t>() >= 0 &&
                            value->get<std::int64_t>() < static_cast<std::int64_t>(pipeline_.pieces.size());
        return inside ? value->get<std::int32_t>() : -1;
    }

    Status readPieces() {
        const auto* tokens = find("tokens");
        if (!tokens || !tokens->is_array() || tokens->empty())
            return fault("it lists no tokens");
        for (const auto& token : *tokens) {
            if (!token.is_string())
                return fault("its tokens are no strings");
            pipeline_.pieces.push_back(replaceInvalidUtf8(token.get_ref<const std::string&>()));
        }
        types_.assign(pipeline_.pieces.size(), PieceType::Normal);
        const auto* types = find("token_type");
        if (!types)
            return {};
        if (!types->is_array() || types->size() != types_.size())
            return fault("it lists " + std::to_string(types->size()) + " token types for " +
                         std::to_string(types_.size()) + " tokens");
        for (std::size_t i = 0; i < types_.size(); ++i)
            if ((*types)[i].is_number_integer())
                types_[i] = static_cast<PieceType>((*types)[i].get<std::int64_t>());
        return {};
    }

    Status readByteLevel() {
        const auto pre = text("pre").empty() ? std::string("default") : text("pre");
        const auto cut = std::ranges::find_if(wordCuts(), [&](const WordCut& candidate) {
            return candidate.names.find(" " + pre + " ") != std::string_view::npos;
        });
        if (cut == wordCuts().end())
            return fault("it cuts words as \"" + pre + "\" does, which is not supported");
        if (cut->digitsFirst)
            pipeline_.splitters.push_back(Splitter::digits(true));
        ANNEAL_TRY(auto splitter, Splitter::pattern(cut->pattern, SplitBehavior::Isolated, false));
        pipeline_.splitters.push_back(std::move(splitter));
        if (cut->nfc)
            pipeline_.normalizers.push_back({});
        pipeline_.model.ignoreMerges = cut->ignoreMerges;
        pipeline_.decoders = {DecodeStep{}};
        addBos_ = cut->addBos;
        return readMerges();
    }

    Status readMerges() {
        const auto* merges = find("merges");
        if (!merges || !merges->is_array())
            return fault("it lists no merges");
        const Vocabulary vocabulary(pipeline_.pieces);
        std::uint32_t rank = 0;
        for (const auto& merge : *merges) {
            const std::string_view pair =
                merge.is_string() ? std::string_view(merge.get_ref<const std::string&>()) : "";
            const auto space = pair.find(' ', 1);
            if (space == std::string_view::npos)
                return fault("merge " + std::to_string(rank + 1) + " is no pair");
            const auto left = pair.substr(0, space), right = pair.substr(space + 1);
            const BpeMerge made{vocabulary.find(left), vocabulary.find(right), rank++,
                                vocabulary.find(std::string(left).append(right))};
            if (made.left < 0 || made.right < 0 || made.result < 0)
                return fault("merge " + std::to_string(rank) + " (" + std::string(pair) +
                             ") uses a token that is not listed");
            pipeline_.merges.push_back(made);
        }
        return {};
    }

    Status readSentencePiece() {
        const auto* scores = find("scores");
        if (!scores || !scores->is_array() || scores->size() != pipeline_.pieces.size())
            return fault("it does not list one score for each token");
        std::vector<float> values;
        for (const auto& score : *scores)
            values.push_back(score.is_number() ? score.get<float>() : 0.0f);
        std::vector<bool> usable;
        for (const auto type : types_)
            usable.push_back(type == PieceType::Normal || type == PieceType::UserDefined);
        pipeline_.merges = mergesFromScores(Vocabulary(pipeline_.pieces), values, usable);
        pipeline_.model = {.byteLevel = false,
                           .byteFallback = true,
                           .fuseUnknown = true,
                           .unknownId = id("unknown_token_id")};
        addMarkSteps();
        addBos_ = true;
        return {};
    }

    /// As transformers reads such a file: every stretch between added tokens starts with a word mark.
    void addMarkSteps() {
        constexpr const char* mark = "\xE2\x96\x81";
        const bool prefix = flag("add_space_prefix", true);
        if (prefix)
            pipeline_.normalizers.push_back(
                {.kind = TextStep::Kind::Prepend, .pattern = {}, .content = mark});
        pipeline_.normalizers.push_back({.kind = TextStep::Kind::Replace, .pattern = " ", .content = mark});
        pipeline_.decoders = {{.kind = DecodeStep::Kind::Replace, .pattern = mark, .content = " "},
                              {.kind = DecodeStep::Kind::ByteFallback, .pattern = {}, .content = {}},
                              {.kind = DecodeStep::Kind::Fuse, .pattern = {}, .content = {}}};
        if (prefix)
            pipeline_.decoders.push_back(
                {.kind = DecodeStep::Kind::Strip, .pattern = {}, .content = " ", .start = 1});
    }

    void addSpecialTokens(bool sentencePiece) {
        for (std::size_t i = 0; i < types_.size(); ++i) {
            const bool special =
                types_[i] == PieceType::Control || (sentencePiece && types_[i] == PieceType::Unknown);
            if (!special && types_[i] != PieceType::UserDefined)
                continue;
            AddedToken token;
            token.id = static_cast<std::int32_t>(i);
            token.content = pipeline_.pieces[i];
            token.special = special;
            pipeline_.addedTokens.push_back(std::move(token));
        }
    }

    void addEnds(bool sentencePiece) {
        pipeline_.bosId = id("bos_token_id");
        pipeline_.eosId = id("eos_token_id");
        pipeline_.padId = id("padding_token_id");
        if (flag("add_bos_token", addBos_ || sentencePiece) && pipeline_.bosId >= 0)
            pipeline_.before.push_back(pipeline_.bosId);
        if (flag("add_eos_token", false) && pipeline_.eosId >= 0)
            pipeline_.behind.push_back(pipeline_.eosId);
    }

    const Json& ggml_;
    std::string_view source_;
    BpePipeline pipeline_;
    std::vector<PieceType> types_;
    bool addBos_ = false;
};

/// Everything that changes encodings, without turning the lists into one JSON text.
std::string fingerprintOf(const Json& ggml) {
    Fingerprint print;
    for (const auto& [key, value] : ggml.items()) {
        print.add(key);
        if (!value.is_array())
            print.add(dumpJson(value));
        else
            for (const auto& item : value)
                print.add(item.is_string() ? item.get_ref<const std::string&>() : dumpJson(item));
    }
    return print.hex();
}

} // namespace

Result<BpePipeline> pipelineFromGgml(const Json& ggml, const ModelConfig& config, std::string_view source) {
    ANNEAL_TRY(auto pipeline, GgmlReader(ggml, source).read());
    if (pipeline.eosId < 0 && !config.eos_token_ids.empty())
        pipeline.eosId = static_cast<std::int32_t>(config.eos_token_ids.front());
    pipeline.fingerprint = fingerprintOf(ggml);
    return pipeline;
}

} // namespace anneal
