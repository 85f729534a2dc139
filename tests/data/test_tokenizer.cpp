#include "tests/data/tokenizer_fixture.h"

#include "core/data/tokenizer_text.h"

#include <QElapsedTimer>

using namespace anneal;
using namespace anneal::test;

namespace {

using Ids = std::vector<std::int32_t>;

fs::path written(const QTemporaryDir& folder, std::string_view text) {
    const fs::path path = folder.filePath("tokenizer.json").toStdString();
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

std::string problemOf(std::string_view text) {
    QTemporaryDir folder;
    TokenizerFiles files;
    files.tokenizerJson = written(folder, text);
    const auto tokenizer = loadTokenizer(TokenizerOnly(files));
    return tokenizer.ok() ? std::string() : tokenizer.error().text();
}

Json tinyJson() { return *readJsonFile(golden / "tiny-llama/tokenizer.json"); }

} // namespace

class TestTokenizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knowsItsEnds() {
        const auto smol = ofModel(ANNEAL_MODEL_GGUF);
        QVERIFY(smol);
        QCOMPARE(smol->vocabularySize(), 49152);
        QCOMPARE(smol->bosId(), 1);
        QCOMPARE(smol->eosId(), 2);
        QCOMPARE(smol->padId(), 2);
        QCOMPARE(smol->idToPiece(2), "<|im_end|>");
        QCOMPARE(smol->pieceToId("<|im_start|>"), 1);
        QCOMPARE(smol->pieceToId("no such piece"), -1);
        QCOMPARE(smol->idToPiece(-1), "");
        QCOMPARE(smol->tokenText(smol->pieceToId("\xC4\xA0the")), " the");
        const auto tied = ofModel((golden / "tiny-llama-tied").string());
        QCOMPARE(tied->bosId(), 0);
        QCOMPARE(tied->vocabularySize(), 321);
    }

    void bosComesExactlyOnce() {
        const auto tied = ofModel((golden / "tiny-llama-tied").string());
        QCOMPARE(tied->encode("a", true).ids.front(), 0);
        QVERIFY(tied->encode("a", false).ids.front() != 0);
        const auto smol = ofModel(ANNEAL_MODEL_GGUF); // says add_bos_token = false
        QCOMPARE(smol->encode("a", true).ids, smol->encode("a", false).ids);
    }

    void rangesAreThoseOfTheText() {
        const auto smol = ofModel(ANNEAL_MODEL_GGUF);
        const std::string text = "Hello world<|im_end|>\nx";
        const auto got = smol->encode(text, false);
        std::string joined;
        for (std::size_t i = 0; i < got.ids.size(); ++i) {
            QCOMPARE(text.substr(got.begins[i], got.ends[i] - got.begins[i]), smol->tokenText(got.ids[i]));
            joined += smol->tokenText(got.ids[i]);
        }
        QCOMPARE(joined, text);
        const auto qwen = fromJsonFile(golden / "tokenizers/qwen2-style.json");
        const std::string accented = "cafe\xCC\x81 x"; // the accent is composed before the split
        const auto ranges = qwen->encode(accented, false);
        QCOMPARE(ranges.ends.back(), static_cast<std::uint32_t>(accented.size()));
        QVERIFY(std::ranges::find(ranges.ends, 6u) != ranges.ends.end());
    }

    void invalidUtf8IsEncodedAsItsReplacement() {
        const auto tiny = ofModel((golden / "tiny-llama").string());
        const auto broken = tiny->encode("a\xFF z", false), repaired = tiny->encode("a\xEF\xBF\xBD z", false);
        QCOMPARE(broken.ids, repaired.ids);
        QCOMPARE(broken.ends.back(), 4u);
        QCOMPARE(tiny->decode(Ids{tiny->encode("\xE2\x82\xAC", false).ids.front()}, false), "\xEF\xBF\xBD");
    }

    void specialsOfSentencePieceComeFromTheConfiguration() {
        const Json config{{"bos_token", "<s>"},
                          {"eos_token", {{"content", "</s>"}}},
                          {"add_eos_token", true},
                          {"added_tokens_decoder", {{"1500", {{"content", "[CITE]"}, {"special", false}}}}}};
        const auto plain = fromSentencePiece(golden / "legal.model"),
                   set = fromSentencePiece(golden / "legal.model", config);
        QVERIFY(plain && set);
        QVERIFY(plain->encode("<s>", false).ids.size() > 1);
        QCOMPARE(set->encode("<s>", false).ids, Ids{1});
        QCOMPARE(set->encode("", true).ids, (Ids{1, 2}));
        QCOMPARE(set->vocabularySize(), 1501);
        QCOMPARE(set->pieceToId("[CITE]"), 1500);
        const auto cited = set->encode("the[CITE]the", false);
        QVERIFY(std::ranges::find(cited.ids, 1500) != cited.ids.end());
        QCOMPARE(set->decode(cited.ids, true), "the[CITE]the");
        QCOMPARE(set->decode(Ids{1, 2}, true), "");
        QCOMPARE(set->decode(Ids{1, 2}, false), "<s></s>");
    }

    void theLegacyWayPutsASpaceBehindSpecials() {
        Json config{{"bos_token", "<s>"}};
        const auto now = fromSentencePiece(golden / "legal.model", config);
        config["legacy"] = true;
        const auto legacy = fromSentencePiece(golden / "legal.model", config);
        QCOMPARE(legacy->encode("<s>the", false).ids, (Ids{1, legacy->pieceToId("\xE2\x96\x81the")}));
        QVERIFY(now->encode("<s>the", false).ids != legacy->encode("<s>the", false).ids);
        QCOMPARE(now->encode("the", false).ids, legacy->encode("the", false).ids);
    }

    /// As Llama 2's own tokenizer.json is built.
    void normalizersOfTheOldKind() {
        auto json = *readJsonFile(golden / "tokenizers/llama-style.json");
        json["pre_tokenizer"] = nullptr;
        json["normalizer"] = {
            {"type", "Sequence"},
            {"normalizers",
             {{{"type", "Prepend"}, {"prepend", "\xE2\x96\x81"}},
              {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\xE2\x96\x81"}}}}};
        QTemporaryDir folder;
        const auto old = fromJsonFile(written(folder, dumpJson(json)));
        const auto plain = fromSentencePiece(golden / "legal.model");
        QVERIFY(old && plain);
        for (const char* text : {"hello world", " hello", "a\n b", "\xE4\xBD\xA0"})
            QCOMPARE(old->encode(text, false).ids, plain->encode(text, false).ids);
    }

    void faultsOfTokenizerJsonAreNamed() {
        const auto says = [](const Json& json, const char* part) {
            const auto problem = problemOf(dumpJson(json));
            return problem.find(part) != std::string::npos ? true : (qWarning("%s", problem.c_str()), false);
        };
        QVERIFY(problemOf("{").find("tokenizer.json") != std::string::npos);
        auto json = tinyJson();
        json["model"]["type"] = "Unigram";
        QVERIFY(says(json, "Unigram"));
        json = tinyJson();
        json["model"]["merges"].push_back({"zz", "q"});
        QVERIFY(says(json, "merge 62"));
        json = tinyJson();
        json["model"]["vocab"]["huge"] = 1 << 30;
        QVERIFY(says(json, "huge"));
        json = tinyJson();
        json["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
        QVERIFY(says(json, "BertPreTokenizer"));
        json = tinyJson();
        json["normalizer"] = {{"type", "Precompiled"}};
        QVERIFY(says(json, "Precompiled"));
        json = tinyJson();
        json["post_processor"] = {{"type", "BertProcessing"}};
        QVERIFY(says(json, "BertProcessing"));
        json = tinyJson();
        json["added_tokens"][0]["id"] = -5;
        QVERIFY(says(json, "-5"));
        json = tinyJson();
        json.erase("model");
        QVERIFY(says(json, "only BPE"));
    }

    void faultsOfGgufTokenizersAreNamed() {
        const auto problem = [](const Json& ggml) {
            TokenizerFiles files;
            files.ggml = ggml;
            const auto tokenizer = loadTokenizer(TokenizerOnly(files));
            return tokenizer.ok() ? std::string() : tokenizer.error().text();
        };
        QVERIFY(problem(Json::object()).find("no tokens") != std::string::npos);
        Json ggml{{"model", "gpt2"}, {"tokens", {"a", "b", "ab"}}, {"merges", {"a b"}}};
        QCOMPARE(problem(ggml), "");
        ggml["merges"] = {"a c"};
        QVERIFY(problem(ggml).find("merge 1 (a c)") != std::string::npos);
        ggml["merges"] = {"a"};
        QVERIFY(problem(ggml).find("merge 1") != std::string::npos);
        ggml["pre"] = "unheard-of";
        QVERIFY(problem(ggml).find("unheard-of") != std::string::npos);
        ggml["token_type"] = {1};
        QVERIFY(problem(ggml).find("token types") != std::string::npos);
        QVERIFY(problem({{"model", "bert"}, {"tokens", {"a"}}}).find("bert") != std::string::npos);
        QVERIFY(problem({{"model", "llama"}, {"tokens", {"a"}}}).find("score") != std::string::npos);
        QVERIFY(
            problem({{"model", "gpt2"}, {"tokens", {"\xFF\xE2", "a"}}, {"merges", Json::array()}}).empty());
    }

    void aFolderWithoutTokenizerSaysSo() {
        const auto tokenizer = loadTokenizer(TokenizerOnly({}));
        QVERIFY(!tokenizer.ok());
        QVERIFY(tokenizer.error().text().find("no tokenizer") != std::string::npos);
        QTemporaryDir folder;
        TokenizerFiles files;
        files.sentencePieceModel = written(folder, "not a model");
        QVERIFY(!loadTokenizer(TokenizerOnly(files)).ok());
    }

    void fingerprintsDiffer() {
        auto json = tinyJson();
        QTemporaryDir a, b;
        const auto first = fromJsonFile(written(a, dumpJson(json)));
        json["model"]["ignore_merges"] = true;
        const auto second = fromJsonFile(written(b, dumpJson(json)));
        QVERIFY(first->fingerprint() != second->fingerprint());
        QCOMPARE(fromJsonFile(written(a, dumpJson(tinyJson())))->fingerprint(), first->fingerprint());
    }

    void speed() {
        std::string text;
        for (const char* name : {"MPL-1.1", "GPL-3", "Apache-2.0"})
            if (const auto file = readFile(fs::path("/usr/share/common-licenses") / name); file.ok())
                text += *file;
        if (text.empty())
            QSKIP("no licence texts here");
        const auto smol = ofModel(ANNEAL_MODEL_GGUF);
        (void)smol->encode(text, false);
        QElapsedTimer timer;
        timer.start();
        std::size_t tokens = 0, bytes = 0;
        for (int i = 0; i < 50; ++i, bytes += text.size())
            tokens += smol->encode(text, false).ids.size();
        qInfo("%.1f MB/s, %zu tokens",
              static_cast<double>(bytes) / static_cast<double>(timer.nsecsElapsed()) * 1e3, tokens);
        QCOMPARE(smol->decode(smol->encode(text, false).ids, false), replaceInvalidUtf8(text));
    }
};

QTEST_GUILESS_MAIN(TestTokenizer)
#include "test_tokenizer.moc"
