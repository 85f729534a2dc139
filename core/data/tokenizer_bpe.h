#pragma once
#include "core/data/bpe.h"
#include "core/data/pretokenizer.h"
#include "core/data/tokenizer.h"
#include "core/data/tokenizer_added_tokens.h"
#include "core/data/tokenizer_decoder.h"
#include "core/data/tokenizer_normalizer.h"

#include <optional>

namespace anneal {

/// Everything that makes a BPE tokenizer, as tokenizer.json or GGUF metadata describe it.
struct BpePipeline {
    std::vector<std::string> pieces; ///< by id; empty ones are holes
    std::vector<BpeMerge> merges;
    BpeOptions model;
    std::vector<AddedToken> addedTokens;
    std::vector<TextStep> normalizers; ///< before added tokens with `normalized` are looked for
    std::vector<TextStep> wordSteps;   ///< what pre-tokenizers rewrite
    std::vector<Splitter> splitters;
    std::vector<DecodeStep> decoders;
    std::vector<std::int32_t> before, behind; ///< ids that `addSpecial` puts around the text
    std::int32_t bosId = -1, eosId = -1, padId = -1;
    std::string fingerprint;
};

/// Runs the pipeline: added tokens, normalization, words, BPE of each word.
class BpeTokenizer : public Tokenizer {
public:
    explicit BpeTokenizer(BpePipeline pipeline);

    Encoding encode(std::string_view text, bool addSpecial) const override;
    std::string decode(std::span<const std::int32_t> ids, bool skipSpecial) const override;
    std::string tokenText(std::int32_t id) const override;
    std::int32_t vocabularySize() const override { return model_.vocabulary().size(); }
    std::int32_t bosId() const override { return bosId_; }
    std::int32_t eosId() const override { return eosId_; }
    std::int32_t padId() const override { return padId_; }
    std::string idToPiece(std::int32_t id) const override { return model_.vocabulary().piece(id); }
    std::int32_t pieceToId(std::string_view piece) const override { return model_.vocabulary().find(piece); }
    std::string fingerprint() const override { return fingerprint_; }

private:
    void encodeSegment(const MappedText& segment, Encoding& out) const;
    void encodeNormalized(MappedText text, Encoding& out) const;
    void encodeWord(const MappedText& text, TextRange word, Encoding& out) const;

    BpeModel model_;
    AddedTokenFinder added_, addedNormalized_;
    std::vector<bool> special_;
    std::vector<TextStep> normalizers_, wordSteps_;
    std::vector<Splitter> splitters_;
    std::vector<DecodeStep> decoders_;
    std::vector<std::int32_t> before_, behind_;
    std::int32_t bosId_, eosId_, padId_;
    std::string fingerprint_;
};

Result<BpePipeline> pipelineFromJson(const TokenizerFiles& files, const ModelConfig& config);
Result<BpePipeline> pipelineFromGgml(const Json& ggml, const ModelConfig& config, std::string_view source);
Result<std::shared_ptr<const Tokenizer>> loadSentencePiece(const TokenizerFiles& files,
                                                           const ModelConfig& config);

/// "<s>" of tokenizer_config.json's `key`, which is a string or an object with `content`; empty when there is
/// none.
std::string configuredToken(const Json& tokenizerConfig, const char* key);
/// added_tokens_decoder of tokenizer_config.json.
std::vector<AddedToken> configuredAddedTokens(const Json& tokenizerConfig);

} // namespace anneal
