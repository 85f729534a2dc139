#include "core/schema/config_io.h"

#include <QTemporaryDir>
#include <QTest>

using namespace anneal;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

} // namespace

class TestValidate : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string at(const char* name) const { return folder_.filePath(name).toStdString(); }

    /// A configuration whose model and data exist.
    LoadedConfig good() const {
        LoadedConfig loaded;
        loaded.config.model.path = at("model");
        loaded.config.data.train = {{at("train.jsonl"), "auto", 1}};
        return loaded;
    }

    Problems check(std::initializer_list<std::string> assignments) const {
        auto loaded = good();
        for (const auto& assignment : assignments)
            applyOverride(loaded, assignment);
        return validate(loaded);
    }

private Q_SLOTS:
    void initTestCase() {
        qputenv("HF_HUB_CACHE", folder_.filePath("hub").toUtf8());
        for (const auto* name : {"model", "empty", "hub/models--org--name/snapshots/abc"})
            fs::create_directories(at(name));
        for (const auto* name : {"model/config.json", "train.jsonl", "m.gguf", "m.bin"})
            QVERIFY(writeFileAtomic(at(name), "{}"));
    }

    void goodHasNoProblems() {
        const auto problems = check({});
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().text.c_str());
    }

    void findsEachFault_data() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<QString>("key");
        QTest::addColumn<int>("severity");
        const auto row = [](const char* set, const char* key, Severity severity = Severity::Error) {
            QTest::newRow(set) << set << key << static_cast<int>(severity);
        };
        row("lora.rank=0", "lora.rank");
        row("lora.rank=-4", "lora.rank");
        row("lora.alpha=0", "lora.alpha");
        row("lora.dropout=1", "lora.dropout");
        row("lora.dropout=-0.1", "lora.dropout");
        row("lora.target_modules=[]", "lora.target_modules");
        row("lora.target_modules=[q_prj]", "lora.target_modules");
        row("lora.target_modules=[lm_head]", "lora.target_modules");
        row("lora.target_modules=[all-linear, q_proj]", "lora.target_modules", Severity::Note);
        row("lora.use_dora=true", "lora.use_dora");
        row("lora.init_adapter=/nonexistent", "lora.init_adapter");
        row("method=dpo", "method");
        row("model.path=", "model.path");
        row("model.path=/nonexistent/model", "model.path");
        row("model.path=org/unknown", "model.path");
        row("model.dtype=float16", "model.dtype");
        row("quantization.type=int8", "quantization.type");
        row("quantization.block_size=48", "quantization.block_size");
        row("data.train=[]", "data.train");
        row("data.train.0.path=/nonexistent.jsonl", "data.train.0.path");
        row("data.train.0.format=parquet", "data.train.0.format");
        row("data.train.0.weight=0", "data.train.0.weight");
        row("data.validation=1", "data.validation");
        row("data.validation=-0.5", "data.validation");
        row("data.validation=/nonexistent.jsonl", "data.validation");
        row("data.validation=0.8", "data.validation", Severity::Warning);
        row("data.validation=0", "data.validation", Severity::Note);
        row("data.template=/nonexistent.jinja", "data.template");
        row("data.loss_on=answers", "data.loss_on");
        row("data.max_length=0", "data.max_length");
        row("training.epochs=0", "training.epochs");
        row("training.max_steps=0", "training.max_steps");
        row("training.max_steps=20", "training.max_steps", Severity::Note);
        row("training.learning_rate=0", "training.learning_rate");
        row("training.learning_rate=1", "training.learning_rate", Severity::Warning);
        row("training.scheduler=cosin", "training.scheduler");
        row("training.warmup_ratio=1.5", "training.warmup_ratio");
        row("training.warmup_ratio=0.9", "training.warmup_ratio", Severity::Warning);
        row("training.adam_beta2=1", "training.adam_beta2");
        row("training.gradient_checkpointing=maybe", "training.gradient_checkpointing");
        row("training.seed=-1", "training.seed");
        row("checkpoint.every_steps=2.5", "checkpoint.every_steps");
        row("checkpoint.keep=0", "checkpoint.keep");
        row("checkpoint={every_steps: 0, every_minutes: 0}", "checkpoint.every_steps", Severity::Warning);
        row("evaluation.metrics=[loss, meteor]", "evaluation.metrics");
        row("evaluation.prompts=['']", "evaluation.prompts");
        row("evaluation={every_steps: 0, early_stopping: {patience: 2}}",
            "evaluation.early_stopping.patience");
        row("hardware.gpus=0,0", "hardware.gpus");
        row("hardware.gpus=most", "hardware.gpus");
        row("hardware.ranks=0", "hardware.ranks");
        row("hardware.threads=many", "hardware.threads");
        row("cost.budget=100", "cost.budget", Severity::Warning);
        row("cost.currency=dollars", "cost.currency");
        row("monitoring.prometheus=9400", "monitoring.prometheus");
        row("monitoring.prometheus=127.0.0.1:99999", "monitoring.prometheus");
        row("monitoring.prometheus=0.0.0.0:9400", "monitoring.prometheus", Severity::Warning);
        row("notify.webhook=ftp://x", "notify.webhook");
        row("notify.on=[someday]", "notify.on");
        row("name=\"a\\nb\"", "name");
    }
    void findsEachFault() {
        QFETCH(QString, set);
        QFETCH(QString, key);
        QFETCH(int, severity);
        const auto problems = check({set.toStdString()});
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(problems.front().key), key);
        QCOMPARE(static_cast<int>(problems.front().severity), severity);
        QVERIFY(problems.front().text.ends_with('.') && !problems.front().fix.empty());
    }

    void acceptsWhatIsAllowed() {
        for (const auto& set :
             {"hardware.gpus=0", "hardware.gpus=[0, 2]", "hardware.gpus=free", "hardware.gpus=3",
              "monitoring.prometheus=localhost:9400", "lora.target_modules=q_proj", "lora.dropout=0",
              "checkpoint.every_steps=0.1", "model.path=org/name", "training.warmup_steps=0"}) {
            const auto problems = check({set});
            QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().text.c_str());
        }
        QVERIFY(check({"model.path='" + at("m.gguf") + "'"}).empty());
    }

    void modelMustBeAModel() {
        QVERIFY(contains(check({"model.path='" + at("empty") + "'"}).front().text, "config.json"));
        QVERIFY(contains(check({"model.path='" + at("m.bin") + "'"}).front().text,
                         "neither a folder nor a GGUF"));
        QVERIFY(contains(check({"model.path=org/unknown"}).front().fix, "hf download org/unknown"));
    }

    void nearestChoiceIsSuggested() {
        QVERIFY(contains(check({"training.scheduler=cosin"}).front().fix, "Did you mean cosine?"));
        QVERIFY(contains(check({"lora.target_modules=[q_prj]"}).front().fix, "Did you mean q_proj?"));
    }

    void collectsAllWithTheirLines() {
        auto loaded = parseConfig("lora:\n  rank: 0\n  r: 8\ntraining:\n  epochs: x\n  learning_rate: "
                                  "-1\ndata:\n  train:\n    - path: /nonexistent\n",
                                  "c.yaml");
        const auto problems = validate(loaded);
        std::map<std::string, int> lines;
        for (const auto& problem : problems)
            lines[problem.key] = problem.line;
        QCOMPARE(lines, (std::map<std::string, int>{{"lora.rank", 2},
                                                    {"lora.r", 3},
                                                    {"training.epochs", 5},
                                                    {"training.learning_rate", 6},
                                                    {"data.train.0.path", 9},
                                                    {"model.path", 0}}));
        QVERIFY(hasError(problems));
        const auto json = toJson(problems)["problems"];
        QCOMPARE(json.size(), problems.size());
        QCOMPARE(json[0]["severity"].get<std::string>(), std::string("error"));
    }

    void warmupLongerThanTheRun() {
        const auto problems =
            check({"training.max_steps=100", "training.warmup_steps=100", "checkpoint.every_steps=50"});
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems.front().key, std::string("training.warmup_steps"));
    }
};

QTEST_APPLESS_MAIN(TestValidate)
#include "test_validate.moc"
