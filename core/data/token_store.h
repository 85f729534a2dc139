#pragma once
#include "core/base/files.h"
#include "core/base/json.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace anneal {

/// A stored token: its id, and in the top bit whether its label is trained (the label is then the id itself).
constexpr std::uint32_t supervisedBit = 0x80000000u;
constexpr std::uint32_t tokenId(std::uint32_t token) { return token & ~supervisedBit; }
constexpr bool isSupervised(std::uint32_t token) { return (token & supervisedBit) != 0; }

/// Prepared rows of one split, memory-mapped. Labels are not shifted: the supervised bit of position t says
/// whether predicting token t (from position t - 1) is trained; position 0 of a row is never trained.
class TokenStore {
public:
    static Result<TokenStore> open(const fs::path& folder);

    std::size_t rows() const { return rows_; }
    /// Tokens of a row, in file order of its sources.
    std::span<const std::uint32_t> row(std::size_t index) const {
        return {tokens_ + offsets_[index], static_cast<std::size_t>(offsets_[index + 1] - offsets_[index])};
    }
    std::uint64_t tokens() const { return rows_ == 0 ? 0 : offsets_[rows_]; }
    std::uint64_t supervisedTokens() const { return supervised_; }
    /// Row index of each source's end, with its weight: row r belongs to the first source with end > r.
    struct SourceRange {
        std::uint64_t end;
        double weight;
        std::string path;
    };
    const std::vector<SourceRange>& sources() const { return sources_; }
    /// {"rows", "tokens", "supervised_tokens", "truncated_rows", "rejected": [...], "fingerprint", ...}
    const Json& summary() const { return summary_; }
    std::string fingerprint() const { return summary_.value("fingerprint", std::string()); }

private:
    MappedFile tokenFile_, offsetFile_;
    const std::uint32_t* tokens_ = nullptr;
    const std::uint64_t* offsets_ = nullptr;
    std::size_t rows_ = 0;
    std::uint64_t supervised_ = 0;
    std::vector<SourceRange> sources_;
    Json summary_;
};

/// The two splits of a prepared data set.
struct PreparedData {
    fs::path folder; ///< <cache>/tokens/<fingerprint>/, with train/ and validation/
    TokenStore train;
    TokenStore validation; ///< rows() == 0 when there is none
};

} // namespace anneal
