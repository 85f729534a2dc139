#include "tests/data/tokenizer_fixture.h"

using namespace anneal;
using namespace anneal::test;

namespace {

const Json& reference() {
    static const Json json = *readJsonFile(golden / "tokens.json");
    return json;
}

std::string shown(const Json& ids) { return dumpJson(ids).substr(0, 400); }

/// Spellings of special tokens in a text, which SentencePiece itself takes for text.
bool hasSpecialSpelling(const std::string& text) {
    return text.find("<s>") != std::string::npos || text.find("<unk>") != std::string::npos;
}

} // namespace

/// Ids and decoded text equal the peers' over every text of tests/golden.
class TestTokenizerGolden : public QObject {
    Q_OBJECT

    void compare(const char* name, const Tokenizer* tokenizer) {
        QVERIFY2(tokenizer, name);
        const auto& expected = reference()["tokenizers"][name];
        const auto& texts = reference()["texts"];
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto text = texts[i].get<std::string>();
            const auto where = std::string(name) + ", text " + std::to_string(i) + ": ";
            const auto got = tokenizer->encode(text, false);
            const Json ids(got.ids);
            QVERIFY2(ids == expected["ids"][i],
                     (where + "got " + shown(ids) + ", expected " + shown(expected["ids"][i])).c_str());
            QVERIFY2(tokenizer->decode(got.ids, false) == expected["decoded"][i].get<std::string>(),
                     (where + "decoded " + tokenizer->decode(got.ids, false)).c_str());
            checkRanges(text, got, where);
            if (expected.contains("ids_with_special")) {
                const Json special(tokenizer->encode(text, true).ids);
                QVERIFY2(special == expected["ids_with_special"][i], (where + shown(special)).c_str());
            }
            if (expected.contains("decoded_skip_special"))
                QVERIFY2(tokenizer->decode(got.ids, true) ==
                             expected["decoded_skip_special"][i].get<std::string>(),
                         where.c_str());
        }
    }

    /// The ranges are in order and leave out nothing but lost bytes (and what normalization removed).
    void checkRanges(const std::string& text, const Encoding& got, const std::string& where) {
        QCOMPARE(got.begins.size(), got.ids.size());
        QCOMPARE(got.ends.size(), got.ids.size());
        std::uint32_t last = 0;
        for (std::size_t i = 0; i < got.ids.size(); ++i) {
            QVERIFY2(got.begins[i] <= got.ends[i] && got.ends[i] <= text.size() && got.ends[i] >= last,
                     where.c_str());
            last = got.ends[i];
        }
    }

private Q_SLOTS:
    void smollm2() {
        const auto tokenizer = ofModel(ANNEAL_MODEL_GGUF);
        compare("smollm2", tokenizer.get());
        for (const auto& byte : reference()["tokenizers"]["smollm2"]["missing_bytes"]) {
            const std::string text(1, static_cast<char>(byte.get<int>()));
            if (byte.get<int>() < 128)
                QCOMPARE(tokenizer->encode(text, false).lostBytes, 1u);
        }
    }
    void tinyLlama() { compare("tiny-llama", ofModel((golden / "tiny-llama").string()).get()); }
    void tinyLlamaTied() { compare("tiny-llama-tied", ofModel((golden / "tiny-llama-tied").string()).get()); }
    void qwen2Style() { compare("qwen2-style", fromJsonFile(golden / "tokenizers/qwen2-style.json").get()); }
    void llamaStyle() { compare("llama-style", fromJsonFile(golden / "tokenizers/llama-style.json").get()); }
    void legal() { compare("legal", fromSentencePiece(golden / "legal.model").get()); }

    void mistral_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("file");
        QTest::newRow("v1") << "mistral-v1"
                            << "tokenizer.model.v1";
        QTest::newRow("v3") << "mistral-v3"
                            << "mistral_instruct_tokenizer_240323.model.v3";
    }
    void mistral() {
        QFETCH(QString, name);
        QFETCH(QString, file);
        const auto path = fs::path(ANNEAL_SOURCE_DIR) / ".deps/peer/mistral_common/data" / file.toStdString();
        if (!fs::exists(path))
            QSKIP("tools/peer-setup was not run");
        compare(name.toUtf8().constData(), fromSentencePiece(path).get());
    }

    /// The same pieces from a GGUF of kind llama; every stretch there starts with a word mark, as
    /// SentencePiece does it.
    void ggufOfKindLlama() {
        const auto plain = fromSentencePiece(golden / "legal.model");
        QVERIFY(plain);
        const auto scored = loaded(TokenizerFiles{.tokenizerJson = {},
                                                  .sentencePieceModel = {},
                                                  .tokenizerConfig = Json::object(),
                                                  .ggml = legalAsGgml(*plain)});
        QVERIFY(scored);
        for (const auto& entry : reference()["texts"]) {
            const auto text = entry.get<std::string>();
            if (hasSpecialSpelling(text))
                continue;
            QCOMPARE(scored->encode(text, false).ids, plain->encode(text, false).ids);
        }
        QCOMPARE(scored->encode("<s>a</s>", false).ids.front(), 1);
    }

private:
    /// SentencePiece's BPE gives pieces falling scores in the order of their ids.
    static Json legalAsGgml(const Tokenizer& legal) {
        Json ggml{{"model", "llama"},        {"tokens", Json::array()},
                  {"scores", Json::array()}, {"token_type", Json::array()},
                  {"bos_token_id", 1},       {"eos_token_id", 2},
                  {"unknown_token_id", 0}};
        for (std::int32_t id = 0; id < legal.vocabularySize(); ++id) {
            ggml["tokens"].push_back(legal.idToPiece(id));
            ggml["scores"].push_back(id < 259 ? 0.0f : static_cast<float>(259 - id));
            ggml["token_type"].push_back(id == 0 ? 2 : id < 3 ? 3 : id < 259 ? 6 : 1);
        }
        return ggml;
    }
};

QTEST_GUILESS_MAIN(TestTokenizerGolden)
#include "test_tokenizer_golden.moc"
