#include "core/modelfile/model_config.h"

#include <QTest>

using namespace anneal;

namespace {

Json llama() {
    return *parseJson(
        R"({"model_type": "llama", "vocab_size": 32000, "hidden_size": 8192, "intermediate_size": 28672,
        "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "max_position_embeddings": 4096,
        "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "torch_dtype": "float16", "bos_token_id": 1, "eos_token_id": 2,
        "rope_scaling": null, "hidden_act": "silu"})",
        "here");
}

std::string problemOf(const Json& json) {
    const auto config = modelConfigFromJson(json, "config.json");
    return config.ok() ? std::string() : config.error().text();
}

} // namespace

class TestModelConfig : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsTransformers4() {
        const auto config = modelConfigFromJson(llama(), "config.json");
        QVERIFY2(config.ok(), config.ok() ? "" : config.error().text().c_str());
        QCOMPARE(config->family, "llama");
        QCOMPARE(config->head_dim, 128);
        QCOMPARE(config->rope_theta, 10000.0);
        QCOMPARE(config->dtype, "float16");
        QCOMPARE(config->eos_token_ids, std::vector<std::int64_t>{2});
        QCOMPARE(config->pad_token_id, -1);
        QVERIFY(!config->tie_word_embeddings);
        QVERIFY(config->notes.empty());
    }

    void countsParametersOfLlama2() {
        const auto config = modelConfigFromJson(llama(), "config.json");
        QCOMPARE(config->totalParameters(), 68'976'648'192);
        QCOMPARE(config->embeddingParameters(), 2 * 32000LL * 8192);
        QCOMPARE(linearShapes(*config)[1].out_features, 1024);
        QCOMPARE(linearShapes(*config)[6].module, "mlp.down_proj");
    }

    void readsTransformers5() {
        auto json = llama();
        for (const char* key : {"rope_theta", "rope_scaling", "torch_dtype"})
            json.erase(key);
        json["dtype"] = "bfloat16";
        json["eos_token_id"] = {2, 7};
        json["rope_parameters"] = {{"rope_type", "llama3"},   {"rope_theta", 500000.0},
                                   {"factor", 8.0},           {"low_freq_factor", 1.0},
                                   {"high_freq_factor", 4.0}, {"original_max_position_embeddings", 8192}};
        const auto config = modelConfigFromJson(json, "config.json");
        QVERIFY2(config.ok(), config.ok() ? "" : config.error().text().c_str());
        QCOMPARE(config->rope_theta, 500000.0);
        QCOMPARE(config->dtype, "bfloat16");
        QVERIFY(config->rope_scaling.kind == RopeScaling::Kind::Llama3);
        QCOMPARE(config->rope_scaling.factor, 8.0);
        QCOMPARE(config->rope_scaling.original_max_position_embeddings, 8192);
        QCOMPARE(config->eos_token_ids, (std::vector<std::int64_t>{2, 7}));
    }

    void linearScalingHasItsOldName() {
        auto json = llama();
        json["rope_scaling"] = {{"type", "linear"}, {"factor", 2.0}};
        const auto config = modelConfigFromJson(json, "config.json");
        QVERIFY(config.ok() && config->rope_scaling.kind == RopeScaling::Kind::Linear);
        QCOMPARE(config->rope_scaling.factor, 2.0);
    }

    void thetaIsNeverDefaultedInSilence() {
        auto json = llama();
        json.erase("rope_theta");
        QVERIFY(problemOf(json).find("rope_theta") != std::string::npos);
        json["transformers_version"] = "4.40.0";
        QVERIFY(problemOf(json).find("rope_theta") != std::string::npos);
        json["transformers_version"] = "4.32.0.dev0"; // Llama 2's own files
        const auto config = modelConfigFromJson(json, "config.json");
        QVERIFY(config.ok());
        QCOMPARE(config->rope_theta, 10000.0);
        QCOMPARE(config->notes.size(), std::size_t{1});
    }

    void faultsAreNamed_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("family") << "model_type" << QByteArray("\"gpt2\"");
        QTest::newRow("missing") << "hidden_size" << QByteArray("null");
        QTest::newRow("type") << "num_hidden_layers" << QByteArray("\"80\"");
        QTest::newRow("huge") << "vocab_size" << QByteArray("18446744073709551615");
        QTest::newRow("negative") << "intermediate_size" << QByteArray("-1");
        QTest::newRow("heads") << "num_key_value_heads" << QByteArray("7");
        QTest::newRow("eps") << "rms_norm_eps" << QByteArray("null");
        QTest::newRow("activation") << "hidden_act" << QByteArray("\"gelu\"");
        QTest::newRow("window") << "sliding_window" << QByteArray("4096");
        QTest::newRow("scaling") << "rope_scaling" << QByteArray("[1]");
        QTest::newRow("eos") << "eos_token_id" << QByteArray("\"</s>\"");
        QTest::newRow("bool") << "tie_word_embeddings" << QByteArray("1");
        QTest::newRow("theta") << "rope_theta" << QByteArray("0");
    }
    void faultsAreNamed() {
        QFETCH(QString, key);
        QFETCH(QByteArray, value);
        auto json = llama();
        json[key.toStdString()] = *parseJson(value.toStdString(), "value");
        const auto problem = problemOf(json);
        QVERIFY2(problem.find(key.toStdString()) != std::string::npos, problem.c_str());
        QVERIFY2(problem.find("config.json") != std::string::npos, problem.c_str());
    }

    void unknownScalingIsRefused() {
        auto json = llama();
        json["rope_scaling"] = {{"rope_type", "yarn"}, {"factor", 4.0}};
        QVERIFY(problemOf(json).find("\"yarn\"") != std::string::npos);
        QVERIFY(problemOf(Json::array()).find("object") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestModelConfig)
#include "test_model_config.moc"
