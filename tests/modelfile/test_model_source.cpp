#include "core/modelfile/model_source.h"
#include "tests/modelfile/model_fixture.h"

#include <QTest>

using namespace anneal;
using namespace anneal::test;

namespace {

const fs::path golden = fs::path(ANNEAL_SOURCE_DIR) / "tests/golden/data";

std::string problemOf(const fs::path& path) {
    const auto model = openModel(path.string());
    return model.ok() ? std::string() : model.error().text();
}

bool says(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos)
        return true;
    qWarning("%s", text.c_str());
    return false;
}

/// A copy of a reference model that a test may spoil.
fs::path copyOf(const TemporaryFolder& folder, const char* model) {
    fs::copy(golden / model, folder.path() / model, fs::copy_options::recursive);
    return folder.path() / model;
}

} // namespace

class TestModelSource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void opensAFolderOfOneFile() {
        const auto model = openModel((golden / "tiny-llama").string());
        QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
        QCOMPARE((*model)->format(), "safetensors");
        QVERIFY((*model)->hasWeights());
        QVERIFY((*model)->find("lm_head.weight"));
        QCOMPARE((*model)->config().dtype, "bfloat16");
        QCOMPARE((*model)->tokenizer().tokenizerJson.filename().string(), "tokenizer.json");
        QVERIFY((*model)->tokenizer().tokenizerConfig.at("eos_token") == Json("<|im_end|>"));
        QVERIFY(!(*model)->chatTemplate().empty());
    }

    void opensAShardedFolder() {
        const auto model = openModel((golden / "tiny-llama-tied").string());
        QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
        QVERIFY((*model)->config().tie_word_embeddings);
        QVERIFY((*model)->config().rope_scaling.kind == RopeScaling::Kind::Llama3);
        QVERIFY((*model)->find("model.layers.2.mlp.down_proj.weight"));
        QVERIFY(!(*model)->find("lm_head.weight"));
        QCOMPARE((*model)->tensorNames().size(), std::size_t{3 * 9 + 2});
    }

    void aMissingShardIsNamed() {
        TemporaryFolder folder;
        const auto copy = copyOf(folder, "tiny-llama-tied");
        fs::remove(copy / "model-00003-of-00004.safetensors");
        QVERIFY(says(problemOf(copy), "model-00003-of-00004.safetensors is missing"));
    }

    void aTruncatedFileIsNamed() {
        TemporaryFolder folder;
        const auto copy = copyOf(folder, "tiny-llama");
        fs::resize_file(copy / "model.safetensors", 100'000);
        QVERIFY(says(problemOf(copy), "model.safetensors: it is truncated"));
    }

    void wrongShapesAreNamed() {
        TemporaryFolder folder;
        const auto copy = copyOf(folder, "tiny-llama");
        auto config = *readJsonFile(copy / "config.json");
        config["intermediate_size"] = 128;
        folder.file("tiny-llama/config.json", dumpJson(config));
        QVERIFY(says(problemOf(copy), "gate_proj.weight"));
        config["intermediate_size"] = 192;
        config["num_hidden_layers"] = 3;
        folder.file("tiny-llama/config.json", dumpJson(config));
        QVERIFY(
            says(problemOf(copy), "Tensor model.layers.2.input_layernorm.weight and 8 others are missing"));
        config["quantization_config"] = {{"quant_method", "gptq"}};
        folder.file("tiny-llama/config.json", dumpJson(config));
        QVERIFY(says(problemOf(copy), "gptq"));
    }

    void aConfigurationAloneCanBeOpened() {
        TemporaryFolder folder;
        const auto copy = copyOf(folder, "tiny-llama");
        fs::remove(copy / "model.safetensors");
        const auto model = openModel(copy.string());
        QVERIFY(model.ok());
        QVERIFY(!(*model)->hasWeights());
    }

    void endsOfGenerationAreJoined() {
        TemporaryFolder folder;
        const auto copy = copyOf(folder, "tiny-llama");
        folder.file("tiny-llama/generation_config.json", R"({"eos_token_id": [5, 2]})");
        QCOMPARE((*openModel(copy.string()))->config().eos_token_ids, (std::vector<std::int64_t>{2, 5}));
    }

    void namedTemplatesAreUnderstood() {
        TemporaryFolder folder;
        const auto copy = copyOf(folder, "tiny-llama");
        fs::remove(copy / "chat_template.jinja");
        folder.file(
            "tiny-llama/tokenizer_config.json",
            R"({"chat_template": [{"name": "tool_use", "template": "a"}, {"name": "default", "template": "b"}]})");
        QCOMPARE((*openModel(copy.string()))->chatTemplate(), "b");
    }

    void fingerprintsFollowTheContent() {
        TemporaryFolder folder;
        const auto copy = copyOf(folder, "tiny-llama");
        const auto before = (*openModel(copy.string()))->fingerprint();
        QCOMPARE((*openModel(copy.string()))->fingerprint(), before);
        auto config = *readJsonFile(copy / "config.json");
        config["rms_norm_eps"] = 1e-6;
        folder.file("tiny-llama/config.json", dumpJson(config));
        QVERIFY((*openModel(copy.string()))->fingerprint() != before);
    }

    void hubNamesAreFoundInTheCache() {
        TemporaryFolder folder;
        qputenv("HF_HUB_CACHE", folder.path().c_str());
        const auto repository = folder.path() / "models--someone--tiny-llama";
        // As the hub lays it out: snapshots are symbolic links into ../../blobs.
        fs::create_directories(repository / "blobs");
        fs::create_directories(repository / "snapshots/abc");
        folder.file("models--someone--tiny-llama/refs/main", "abc");
        for (const auto& entry : fs::directory_iterator(golden / "tiny-llama")) {
            const auto name = entry.path().filename();
            fs::copy(entry.path(), repository / "blobs" / name);
            fs::create_symlink(fs::path("../../blobs") / name, repository / "snapshots/abc" / name);
        }
        const auto model = openModel("someone/tiny-llama");
        QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
        QCOMPARE((*model)->name(), "someone/tiny-llama");
        QCOMPARE((*model)->path().string(), (repository / "snapshots/abc").string());
        QVERIFY(says(problemOf("someone/other"), "`hf download someone/other`"));
        QVERIFY(says(problemOf("/no/such/folder"), "Check the path"));
        QVERIFY(says(problemOf(""), "model.path"));
        qunsetenv("HF_HUB_CACHE");
    }

    void aFolderOfOneGgufIsThatFile() {
        TemporaryFolder folder;
        folder.file("a.gguf", tinyGguf().bytes());
        const auto model = openModel(folder.path().string());
        QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
        QCOMPARE((*model)->path().filename().string(), "a.gguf");
        folder.file("b.gguf", tinyGguf().bytes());
        QVERIFY(says(problemOf(folder.path()), "2 GGUF files"));
    }

    void foldersWithoutAModelSaySo() {
        TemporaryFolder folder;
        QVERIFY(says(problemOf(folder.path()), "config.json"));
        folder.file("adapter_config.json", "{}");
        QVERIFY(says(problemOf(folder.path()), "an adapter"));
        folder.file("config.json", "{not JSON");
        QVERIFY(says(problemOf(folder.path()), "config.json"));
        QVERIFY(says(problemOf(folder.file("w.safetensors", "x")), "weights, not a model"));
    }
};

QTEST_GUILESS_MAIN(TestModelSource)
#include "test_model_source.moc"
