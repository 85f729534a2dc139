#include "core/modelfile/gguf.h"
#include "core/modelfile/model_source.h"
#include "tests/modelfile/model_fixture.h"

#include <QElapsedTimer>
#include <QTest>

using namespace anneal;
using namespace anneal::test;

namespace {

std::string problemOf(const TemporaryFolder& folder, std::string_view bytes) {
    const auto model = openModel(folder.file("x.gguf", bytes).string());
    return model.ok() ? std::string() : model.error().text();
}

std::vector<float> allRows(const ModelSource& model, std::string_view name) {
    const auto* tensor = model.find(name);
    if (!tensor)
        return {};
    std::vector<float> out(static_cast<std::size_t>(tensor->elements()));
    return readRows(*tensor, 0, tensor->rows(), out).ok() ? out : std::vector<float>();
}

} // namespace

class TestGguf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsTheRealModel() {
        QElapsedTimer timer;
        timer.start();
        const auto opened = openModel(ANNEAL_MODEL_GGUF);
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
        qInfo("opened in %.1f ms", static_cast<double>(timer.nsecsElapsed()) / 1e6);
        const auto& model = **opened;
        const auto& config = model.config();
        QCOMPARE(model.format(), "gguf");
        QCOMPARE(config.num_hidden_layers, 30);
        QCOMPARE(config.hidden_size, 576);
        QCOMPARE(config.num_attention_heads, 9);
        QCOMPARE(config.num_key_value_heads, 3);
        QCOMPARE(config.head_dim, 64);
        QCOMPARE(config.vocab_size, 49152);
        QCOMPARE(config.rope_theta, 100000.0);
        QVERIFY(config.tie_word_embeddings);
        QCOMPARE(config.totalParameters(), 134515008);
        QCOMPARE(config.eos_token_ids, std::vector<std::int64_t>{2});
        QCOMPARE(model.tokenizer().ggml->at("tokens").size(), std::size_t{49152});
        QVERIFY(model.chatTemplate().find("<|im_start|>") != std::string::npos);
        QCOMPARE(model.tensorNames().size(), std::size_t{272});
    }

    // Digests of what gguf-py 0.19 reads, q and k with their heads put back in order.
    void realWeightsMatchTheReferenceBitwise() {
        const auto model = openModel(ANNEAL_MODEL_GGUF);
        QVERIFY(model.ok());
        const auto digest = [&](std::string_view name) { return sha1(allRows(**model, name)); };
        QCOMPARE(digest("model.embed_tokens.weight"), "96c6a00c3c34ff2d7008829c611c32272760f4f3");
        QCOMPARE(digest("model.layers.0.self_attn.q_proj.weight"),
                 "f6b18a1d661cbfd31761bfc27170e1a819971acb");
        QCOMPARE(digest("model.layers.29.self_attn.k_proj.weight"),
                 "5866eff8f281c9c613204934ddea0165d845624b");
        QCOMPARE(digest("model.layers.3.mlp.down_proj.weight"), "d2029971dd959f06949298b2cee2bdd64b8dba69");
        QCOMPARE(digest("model.layers.5.input_layernorm.weight"), "40c0376942e0509b1a5e627d2a03f92afb05f7fe");
    }

    void readsBothVersions() {
        TemporaryFolder folder;
        for (const std::uint32_t version : {2u, 3u}) {
            const auto model = openModel(folder.file("v.gguf", tinyGguf(version).bytes()).string());
            QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
            QCOMPARE((*model)->name(), "tiny");
            QVERIFY((*model)->tokenizer().ggml->at("add_bos_token") == Json(true));
            QCOMPARE((*model)->chatTemplate(), "{{ messages }}");
            QCOMPARE((*model)->find("model.layers.0.self_attn.q_proj.weight")->permutedHeads, 2);
            QCOMPARE((*model)->find("model.layers.0.self_attn.v_proj.weight")->permutedHeads, 0);
            QCOMPARE((*model)->find("model.layers.0.mlp.down_proj.weight")->shape,
                     (std::vector<std::int64_t>{4, 8}));
        }
    }

    void frequencyDivisorsAreExposed() {
        TemporaryFolder folder;
        std::string divisor;
        append(divisor, 8.0f);
        const auto model = openModel(
            folder.file("r.gguf", tinyGguf().tensor("rope_freqs.weight", {1}, 0, divisor).bytes()).string());
        QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
        QCOMPARE((*model)->config().rope_frequency_divisors, std::vector<float>{8.0f});
        QVERIFY(!(*model)->find("rope_freqs.weight"));
    }

    void everyKindOfValueIsRead() {
        GgufBuilder builder;
        builder.text("t", "x").number("n", 7).real("r", 0.5f).flag("f", true).texts("a", {"p", "", "q"});
        TemporaryFolder folder;
        const auto file = GgufFile::open(folder.file("k.gguf", builder.bytes()));
        QVERIFY(file.ok());
        QVERIFY((*file)->find("t")->text() == "x");
        QVERIFY((*file)->find("n")->integer() == 7);
        QVERIFY((*file)->find("n")->number() == 7.0);
        QVERIFY((*file)->find("r")->number() == 0.5);
        QVERIFY(!(*file)->find("r")->integer());
        QVERIFY((*file)->find("f")->boolean() == true);
        QVERIFY((*file)->find("a")->json() == Json::array({"p", "", "q"}));
        QVERIFY(!(*file)->find("zz"));
    }

    void otherFilesAreRefused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const std::string& bytes, const char* said) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << said;
        };
        row("empty", "", "no GGUF file");
        row("text", "hello world", "no GGUF file");
        row("old", tinyGguf(1).bytes(), "version is 1");
        row("big-endian", tinyGguf(0x03000000).bytes(), "big-endian");
        row("architecture", GgufBuilder().text("general.architecture", "gemma").bytes(), "\"gemma\"");
        row("adapter", GgufBuilder().text("general.type", "adapter").bytes(), "an adapter");
        row("split", GgufBuilder().text("general.architecture", "llama").number("split.count", 3).bytes(),
            "3 files");
        row("no sizes", GgufBuilder().text("general.architecture", "llama").bytes(),
            "llama.embedding_length");
        row("kind", tinyGguf().tensor("x", {256}, 14, std::string(210, 'x')).bytes(), "stored as Q6_K");
        row("unknown kind", tinyGguf().tensor("x", {4}, 99, "abcd").bytes(), "unknown type 99");
        row("block", tinyGguf().tensor("x", {4}, 8, std::string(34, 'x')).bytes(), "shape of tensor x");
        row("overflow", tinyGguf().tensor("x", {1ull << 62, 8}, 0, "").bytes(), "shape of tensor x");
        row("behind the end", tinyGguf().tensor("x", {100}, 0, "abcd").bytes(), "truncated");
        row("scaling", tinyGguf().text("llama.rope.scaling.type", "yarn").bytes(), "\"yarn\"");
    }
    void otherFilesAreRefused() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, said);
        TemporaryFolder folder;
        const auto problem = problemOf(folder, bytes.toStdString());
        QVERIFY2(problem.find(said.toStdString()) != std::string::npos, problem.c_str());
        QVERIFY2(problem.find("x.gguf") != std::string::npos, problem.c_str());
    }

    void missingTensorsAreNamed() {
        TemporaryFolder folder;
        auto bytes = tinyGguf().bytes();
        const auto at = bytes.find("blk.0.ffn_up.weight");
        bytes[at] = 'X';
        const auto problem = problemOf(folder, bytes);
        QVERIFY2(problem.find("model.layers.0.mlp.up_proj.weight") != std::string::npos, problem.c_str());
    }

    void noCutOrFlippedByteCrashes() {
        TemporaryFolder folder;
        const auto good = tinyGguf().bytes();
        QVERIFY(problemOf(folder, good).empty());
        for (std::size_t cut = 0; cut + 32 < good.size(); cut += 7)
            QVERIFY(!problemOf(folder, good.substr(0, cut)).empty());
        for (std::size_t at = 0; at < good.size(); ++at)
            for (const char flip : {'\x01', '\x80'}) {
                auto bad = good;
                bad[at] = static_cast<char>(bad[at] ^ flip);
                (void)problemOf(folder, bad);
            }
    }

    void aCutRealFileIsRefused() {
        TemporaryFolder folder;
        const auto map = MappedFile::open(ANNEAL_MODEL_GGUF);
        QVERIFY(map.ok());
        for (const std::size_t cut :
             {std::size_t{100}, std::size_t{1000}, std::size_t{1'500'000}, std::size_t{5'000'000}}) {
            const auto problem = problemOf(folder, map->text().substr(0, cut));
            QVERIFY2(problem.find("truncated") != std::string::npos, problem.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestGguf)
#include "test_gguf.moc"
