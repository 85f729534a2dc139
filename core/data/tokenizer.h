#pragma once
#include "core/modelfile/model_source.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// Token ids with the byte range of the input that each came from (added BOS/EOS have empty ranges).
struct Encoding {
    std::vector<std::int32_t> ids;
    std::vector<std::uint32_t> begins, ends;
    std::uint64_t lostBytes = 0; ///< bytes that the vocabulary has no token for
};

/// Text to ids and back, as transformers does it for the same model. Thread-safe for const calls.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    /// `addSpecial`: put BOS/EOS as the model's tokenizer does by default. Added tokens inside text are
    /// recognised.
    virtual Encoding encode(std::string_view text, bool addSpecial) const = 0;
    virtual std::string decode(std::span<const std::int32_t> ids, bool skipSpecial) const = 0;
    /// The text of one token for people ("Ġ" shown as space); may be a part of a character.
    virtual std::string tokenText(std::int32_t id) const = 0;

    virtual std::int32_t vocabularySize() const = 0;
    virtual std::int32_t bosId() const = 0; ///< -1: none
    virtual std::int32_t eosId() const = 0;
    virtual std::int32_t padId() const = 0;
    virtual std::string idToPiece(std::int32_t id) const = 0;         ///< as in the vocabulary: "<|im_end|>"
    virtual std::int32_t pieceToId(std::string_view piece) const = 0; ///< -1: unknown
    /// Depends on everything that changes encodings.
    virtual std::string fingerprint() const = 0;
};

/// tokenizer.json (byte-level BPE), GGUF metadata (gpt2 and llama kinds) or SentencePiece tokenizer.model.
Result<std::shared_ptr<const Tokenizer>> loadTokenizer(const ModelSource& model);

} // namespace anneal
