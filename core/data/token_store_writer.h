#pragma once
#include "core/data/token_store.h"

namespace anneal {

// A store is a folder of three files: the tokens (u32), the row borders (u64, one more than rows) and an
// index (JSON).
constexpr int tokenStoreVersion = 1;
constexpr const char* tokenStoreTokensName = "tokens.bin";
constexpr const char* tokenStoreOffsetsName = "offsets.bin";
constexpr const char* tokenStoreIndexName = "store.json";

/// A file that is written once from start to end through a buffer.
class BinaryWriter {
public:
    BinaryWriter() = default;
    BinaryWriter(BinaryWriter&& other) noexcept;
    BinaryWriter& operator=(BinaryWriter&& other) noexcept;
    ~BinaryWriter();

    static Result<BinaryWriter> create(const fs::path& path);
    Status write(std::span<const std::byte> bytes);
    /// Writes what is buffered; `durable`: and waits until the disk has it.
    Status finish(bool durable = true);

private:
    Status flush();

    int descriptor_ = -1;
    fs::path path_;
    std::string buffer_;
};

/// Writes a token store row by row with bounded memory. The folder is valid only after finish(); write into a
/// temporary one and rename.
class TokenStoreWriter {
public:
    /// `durable`: finish() waits for the disk, as a store that is kept needs it.
    static Result<TokenStoreWriter> create(const fs::path& folder, bool durable = true);

    /// Tokens of one row; the supervised bit of position 0 is cleared.
    Status add(std::span<const std::uint32_t> tokens);
    /// All rows since the last call came from this source.
    void endSource(const std::string& path, double weight);
    /// `summary` gets rows, tokens and supervised_tokens set.
    Status finish(Json summary);

    std::uint64_t rows() const { return rows_; }
    std::uint64_t tokens() const { return tokens_; }
    std::uint64_t supervisedTokens() const { return supervised_; }

private:
    fs::path folder_;
    bool durable_ = true;
    BinaryWriter tokenFile_, offsetFile_;
    std::uint64_t rows_ = 0, tokens_ = 0, supervised_ = 0;
    Json sources_ = Json::array();
};

} // namespace anneal
