#include "core/data/token_store.h"

#include "core/data/token_store_writer.h"

#include <algorithm>

namespace anneal {

namespace {

Error broken(const fs::path& folder, const std::string& what) {
    return failure("The prepared data in " + folder.string() + " is damaged: " + what + ".",
                   "Delete the folder; it is built again from the sources.");
}

std::vector<TokenStore::SourceRange> sourcesFromJson(const Json& list) {
    std::vector<TokenStore::SourceRange> sources;
    for (const auto& source : list)
        sources.push_back(
            {source.value("end", std::uint64_t{0}), source.value("weight", 1.0), source.value("path", "")});
    return sources;
}

} // namespace

Result<TokenStore> TokenStore::open(const fs::path& folder) {
    TokenStore store;
    ANNEAL_TRY(const auto index, readJsonFile(folder / tokenStoreIndexName));
    if (!index.is_object() || index.value("version", 0) != tokenStoreVersion || !index.contains("summary"))
        return broken(folder, "it was written by another version");
    ANNEAL_TRY(store.tokenFile_, MappedFile::open(folder / tokenStoreTokensName));
    ANNEAL_TRY(store.offsetFile_, MappedFile::open(folder / tokenStoreOffsetsName));
    const auto rows = index.value("rows", std::uint64_t{0});
    if (store.offsetFile_.size() != (rows + 1) * sizeof(std::uint64_t))
        return broken(folder, "the number of rows does not fit " + std::string(tokenStoreOffsetsName));
    store.rows_ = rows;
    store.offsets_ = reinterpret_cast<const std::uint64_t*>(store.offsetFile_.bytes().data());
    store.tokens_ = reinterpret_cast<const std::uint32_t*>(store.tokenFile_.bytes().data());
    if (store.offsets_[0] != 0 || !std::is_sorted(store.offsets_, store.offsets_ + rows + 1) ||
        store.offsets_[rows] * sizeof(std::uint32_t) != store.tokenFile_.size())
        return broken(folder, "the rows do not fit " + std::string(tokenStoreTokensName));
    store.summary_ = index["summary"];
    store.supervised_ = index.value("supervised_tokens", std::uint64_t{0});
    store.sources_ = sourcesFromJson(index.value("sources", Json::array()));
    return store;
}

} // namespace anneal
