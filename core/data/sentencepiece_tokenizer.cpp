#include "core/data/tokenizer_bpe.h"

#include "core/base/hash.h"

#include <algorithm>
#include <sentencepiece_processor.h>

namespace anneal {

namespace {

using sentencepiece::SentencePieceProcessor;

constexpr std::uint64_t largestModel = 256u << 20;
/// Appended to a serialized model it sets normalizer_spec.add_dummy_prefix to false: a later field wins.
constexpr std::string_view withoutPrefix("\x1A\x02\x18\x00", 4);

bool configuredFlag(const Json& config, const char* key, bool fallback) {
    const auto found = config.find(key);
    return found != config.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

Result<std::unique_ptr<SentencePieceProcessor>> loadProcessor(const std::string& bytes,
                                                              const fs::path& path) {
    auto processor = std::make_unique<SentencePieceProcessor>();
    const auto status = processor->LoadFromSerializedProto(bytes);
    if (!status.ok())
        return invalidInput("Cannot read " + path.string() + ": it is no SentencePiece model (" +
                                status.ToString() + ").",
                            "Download the file again.");
    return processor;
}

/// A SentencePiece model with the special tokens of its tokenizer_config.json. Without that file no special
/// token is looked for: its spelling in a text is text, as for the library itself.
class SentencePieceTokenizer : public Tokenizer {
public:
    static Result<std::shared_ptr<const Tokenizer>> load(const TokenizerFiles& files,
                                                         const ModelConfig& config) {
        ANNEAL_TRY(const auto bytes, readFile(files.sentencePieceModel, largestModel));
        auto made = std::make_shared<SentencePieceTokenizer>();
        ANNEAL_TRY(made->first_, loadProcessor(bytes, files.sentencePieceModel));
        ANNEAL_TRY(made->later_, loadProcessor(bytes + std::string(withoutPrefix), files.sentencePieceModel));
        made->configure(files.tokenizerConfig, config);
        made->fingerprint_ = Fingerprint().add(hexHash(bytes)).add(dumpJson(files.tokenizerConfig)).hex();
        return std::shared_ptr<const Tokenizer>(std::move(made));
    }

    Encoding encode(std::string_view text, bool addSpecial) const override {
        Encoding out;
        if (addSpecial && addBos_)
            append(out, bos_, {0, 0});
        const auto repaired = mapInvalidUtf8(text);
        const auto whole = repaired ? *repaired : MappedText(text);
        for (const auto& part : added_.split(whole.text())) {
            if (part.id >= 0)
                append(out, part.id, whole.origin(part.range.begin, part.range.end));
            else
                encodePart(whole.slice(part.range.begin, part.range.end), part.range.begin == 0, out);
        }
        if (addSpecial && addEos_)
            append(out, eos_, {text.size(), text.size()});
        return out;
    }

    std::string decode(std::span<const std::int32_t> ids, bool skipSpecial) const override {
        std::vector<std::string> tokens;
        for (const auto id : ids)
            if (id >= 0 && id < vocabularySize() && !(skipSpecial && isSpecial(id)))
                tokens.push_back(idToPiece(id));
        static const std::vector<DecodeStep> steps{
            {.kind = DecodeStep::Kind::Replace, .pattern = "\xE2\x96\x81", .content = " "},
            {.kind = DecodeStep::Kind::ByteFallback, .pattern = {}, .content = {}},
            {.kind = DecodeStep::Kind::Fuse, .pattern = {}, .content = {}},
            {.kind = DecodeStep::Kind::Strip, .pattern = {}, .content = " ", .start = 1}};
        return decodeTokens(steps, std::move(tokens));
    }

    std::string tokenText(std::int32_t id) const override {
        auto piece = idToPiece(id);
        if (const int byte = fallbackByte(piece); byte >= 0)
            return std::string(1, static_cast<char>(byte));
        for (auto at = piece.find("\xE2\x96\x81"); at != std::string::npos;
             at = piece.find("\xE2\x96\x81", at))
            piece.replace(at, 3, " ");
        return piece;
    }

    std::int32_t vocabularySize() const override { return std::max(first_->GetPieceSize(), lastAdded_ + 1); }
    std::int32_t bosId() const override { return bos_; }
    std::int32_t eosId() const override { return eos_; }
    std::int32_t padId() const override { return pad_; }
    std::string idToPiece(std::int32_t id) const override {
        if (const auto* token = addedToken(id))
            return token->content;
        return id >= 0 && id < first_->GetPieceSize() ? first_->IdToPiece(id) : std::string();
    }
    std::int32_t pieceToId(std::string_view piece) const override {
        const auto token = std::ranges::find(
            tokens_, piece, [](const AddedToken& t) -> std::string_view { return t.content; });
        if (token != tokens_.end())
            return token->id;
        const auto id = first_->PieceToId({piece.data(), piece.size()});
        return first_->IsUnknown(id) && first_->IdToPiece(id) != piece ? -1 : id;
    }
    std::string fingerprint() const override { return fingerprint_; }

private:
    static void append(Encoding& out, std::int32_t id, TextRange range) {
        out.ids.push_back(id);
        out.begins.push_back(static_cast<std::uint32_t>(range.begin));
        out.ends.push_back(static_cast<std::uint32_t>(range.end));
    }

    void configure(const Json& json, const ModelConfig& config) {
        tokens_ = configuredAddedTokens(json);
        for (const char* key : {"bos_token", "eos_token", "unk_token", "pad_token"})
            addNamedToken(configuredToken(json, key));
        added_ = AddedTokenFinder(tokens_);
        for (const auto& token : tokens_)
            lastAdded_ = std::max(lastAdded_, token.id);
        const auto idOf = [&](const char* key, std::int32_t fallback) {
            const auto id = pieceToId(configuredToken(json, key));
            return id >= 0 ? id : fallback;
        };
        bos_ = idOf("bos_token", first_->bos_id());
        eos_ = idOf("eos_token", first_->eos_id());
        pad_ = idOf("pad_token", first_->pad_id() >= 0 ? first_->pad_id()
                                                       : static_cast<std::int32_t>(config.pad_token_id));
        addBos_ = bos_ >= 0 && configuredFlag(json, "add_bos_token", true);
        addEos_ = eos_ >= 0 && configuredFlag(json, "add_eos_token", false);
        legacy_ = configuredFlag(json, "legacy", false);
        prefix_ = configuredFlag(json, "add_prefix_space", true);
    }

    void addNamedToken(const std::string& content) {
        const auto id = content.empty() ? -1 : pieceToId(content);
        if (id < 0 || addedToken(id))
            return;
        AddedToken token;
        token.id = id;
        token.content = content;
        token.special = true;
        tokens_.push_back(std::move(token));
    }

    const AddedToken* addedToken(std::int32_t id) const {
        const auto found = std::ranges::find(tokens_, id, &AddedToken::id);
        return found == tokens_.end() ? nullptr : &*found;
    }
    bool isSpecial(std::int32_t id) const {
        const auto* token = addedToken(id);
        return token ? token->special : first_->IsControl(id);
    }

    /// Only the start of a text gets a word mark; the legacy way puts one behind every special token too.
    void encodePart(const MappedText& part, bool atStart, Encoding& out) const {
        const auto& processor = prefix_ && (atStart || legacy_) ? *first_ : *later_;
        const auto text = part.text();
        const auto pieces = processor.EncodeAsImmutableProto({text.data(), text.size()});
        for (std::size_t i = 0; i < pieces.pieces_size(); ++i) {
            const auto piece = pieces.pieces(static_cast<int>(i));
            append(out, static_cast<std::int32_t>(piece.id()), part.origin(piece.begin(), piece.end()));
        }
    }

    std::unique_ptr<SentencePieceProcessor> first_, later_;
    std::vector<AddedToken> tokens_;
    AddedTokenFinder added_;
    std::int32_t lastAdded_ = -1, bos_ = -1, eos_ = -1, pad_ = -1;
    bool addBos_ = false, addEos_ = false, legacy_ = false, prefix_ = true;
    std::string fingerprint_;
};

} // namespace

Result<std::shared_ptr<const Tokenizer>> loadSentencePiece(const TokenizerFiles& files,
                                                           const ModelConfig& config) {
    return SentencePieceTokenizer::load(files, config);
}

} // namespace anneal
