#pragma once
#include "core/data/tokenizer.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace anneal::test {

inline const fs::path golden = fs::path(ANNEAL_SOURCE_DIR) / "tests/golden/data";

/// A model that is nothing but its tokenizer.
class TokenizerOnly : public ModelSource {
public:
    explicit TokenizerOnly(TokenizerFiles files) {
        path_ = "model";
        tokenizer_ = std::move(files);
    }
    const TensorView* find(std::string_view) const override { return nullptr; }
    std::vector<std::string> tensorNames() const override { return {}; }
    bool hasWeights() const override { return false; }
};

inline std::shared_ptr<const Tokenizer> loaded(TokenizerFiles files) {
    auto tokenizer = loadTokenizer(TokenizerOnly(std::move(files)));
    if (!tokenizer.ok())
        qWarning("%s", tokenizer.error().text().c_str());
    return tokenizer.ok() ? *tokenizer : nullptr;
}

inline std::shared_ptr<const Tokenizer> fromJsonFile(const fs::path& path) {
    TokenizerFiles files;
    files.tokenizerJson = path;
    return loaded(std::move(files));
}

inline std::shared_ptr<const Tokenizer> fromSentencePiece(const fs::path& path,
                                                          Json config = Json::object()) {
    TokenizerFiles files;
    files.sentencePieceModel = path;
    files.tokenizerConfig = std::move(config);
    return loaded(std::move(files));
}

inline std::shared_ptr<const Tokenizer> ofModel(const std::string& path) {
    const auto model = openModel(path);
    if (!model.ok())
        return nullptr;
    auto tokenizer = loadTokenizer(**model);
    if (!tokenizer.ok())
        qWarning("%s", tokenizer.error().text().c_str());
    return tokenizer.ok() ? *tokenizer : nullptr;
}

} // namespace anneal::test
