#include "core/base/system.h"
#include "core/schema/config_io.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <clocale>
#include <locale>

using namespace anneal;

namespace {

const Problem* findProblem(const Problems& problems, std::string_view key) {
    for (const auto& problem : problems)
        if (problem.key == key)
            return &problem;
    return nullptr;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A decimal comma and thousands points, as in German.
class CommaNumbers : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

/// Switches C and C++ to a locale with a decimal comma. Few machines have one for C, so a small one is made,
/// where the system can do that.
class CommaLocale {
public:
    CommaLocale() : before_(std::locale::global(std::locale(std::locale(), new CommaNumbers))) {
        const auto source = folder_.filePath("comma").toStdString();
        if (!writeFileAtomic(source, "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"<U002E>\"\n"
                                     "grouping 3;3\nEND LC_NUMERIC\n"))
            return;
        QProcess::execute("localedef", {"-c", "--quiet", "-i", folder_.filePath("comma"), "-f",
                                        "ANSI_X3.4-1968", folder_.filePath("comma_decimal")});
        qputenv("LOCPATH", folder_.path().toUtf8());
        std::setlocale(LC_NUMERIC, "comma_decimal");
    }
    ~CommaLocale() {
        qunsetenv("LOCPATH");
        std::locale::global(before_);
        std::setlocale(LC_ALL, "C.UTF-8");
    }
    bool isWholeC() const { return *std::localeconv()->decimal_point == ','; }

private:
    QTemporaryDir folder_;
    std::locale before_;
};

} // namespace

class TestConfigIo : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsAWholeFile() {
        const auto loaded = parseConfig(R"(method: sft
name: legal-qa
tags: [law, 2024]
model: {path: models/llama, dtype: bfloat16}
quantization: {type: nf4, double_quant: yes}
lora:
  rank: 8
  alpha: 16
  target_modules: [q_proj, v_proj]
data:
  train:
    - {path: a.jsonl, weight: 2}
    - b.csv
  validation: 0.1
training:
  learning_rate: 2e-4
  max_steps: 1e3
  gradient_checkpointing: on
hardware: {gpus: [0, 2], threads: 4}
evaluation: {early_stopping: {patience: 3}, prompts: ["One, two?", Three]}
cost: {budget: null, hourly_rate: 1_000}
)");
        QVERIFY2(loaded.problems.empty(),
                 loaded.problems.empty() ? "" : loaded.problems.front().text.c_str());
        const auto& config = loaded.config;
        QCOMPARE(config.tags, (std::vector<std::string>{"law", "2024"}));
        QCOMPARE(config.lora.target_modules, (std::vector<std::string>{"q_proj", "v_proj"}));
        QCOMPARE(config.data.train.size(), std::size_t{2});
        QVERIFY(config.data.train[0] == (DataSource{"a.jsonl", "auto", 2}));
        QCOMPARE(config.data.train[1].path, std::string("b.csv"));
        QCOMPARE(config.data.validation, std::string("0.1"));
        QCOMPARE(config.training.learning_rate, 2e-4);
        QCOMPARE(*config.training.max_steps, 1000);
        QCOMPARE(config.training.gradient_checkpointing, std::string("on"));
        QCOMPARE(config.hardware.gpus, std::string("0,2"));
        QCOMPARE(config.hardware.threads, std::string("4"));
        QCOMPARE(config.evaluation.early_stopping.patience, 3);
        QCOMPARE(config.evaluation.prompts, (std::vector<std::string>{"One, two?", "Three"}));
        QVERIFY(!config.cost.budget);
        QCOMPARE(*config.cost.hourly_rate, 1000.0);
        QCOMPARE(loaded.lines.at("lora.rank"), 7);
        QCOMPARE(loaded.lines.at("data.train.1"), 13);
        QCOMPARE(loaded.lines.at("hardware.gpus"), 19);
    }

    void emptyTextIsAllDefaults() {
        for (const auto* text : {"", "---\n", "# only a comment\n", "{}", "training:\n"}) {
            const auto loaded = parseConfig(text);
            QVERIFY(loaded.problems.empty());
            QCOMPARE(dumpJson(configToJson(loaded.config)), dumpJson(configToJson({})));
        }
    }

    void textKeepsItsSpelling() {
        const auto loaded =
            parseConfig("name: 007\nnotes: 1e5\nmodel: {path: 1.50}\ndata: {train: 2024.jsonl}\n");
        QCOMPARE(loaded.config.name, std::string("007"));
        QCOMPARE(loaded.config.notes, std::string("1e5"));
        QCOMPARE(loaded.config.model.path, std::string("1.50"));
        QCOMPARE(loaded.config.data.train.at(0).path, std::string("2024.jsonl"));
    }

    void unknownKeyNamesTheRightOne() {
        const auto loaded = parseConfig(
            "name: x\nlora:\n  rank: 8\n  lora_dropout: 0.1\nper_device_train_batch_size: 4\n", "run.yaml");
        QCOMPARE(loaded.problems.size(), std::size_t{2});
        const auto* nested = findProblem(loaded.problems, "lora.lora_dropout");
        QVERIFY(nested && nested->line == 4 && nested->severity == Severity::Error);
        QVERIFY(contains(nested->text, "lora.lora_dropout") && contains(nested->text, "run.yaml, line 4"));
        QVERIFY(contains(nested->fix, "lora.dropout"));
        const auto* flat = findProblem(loaded.problems, "per_device_train_batch_size");
        QVERIFY(flat && flat->line == 5 && contains(flat->fix, "training.per_device_batch_size"));
        QCOMPARE(loaded.config.lora.rank, 8);
    }

    void wrongTypeNamesFileAndLine_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("key");
        QTest::newRow("text for a number") << "training: {epochs: three}"
                                           << "training.epochs";
        QTest::newRow("list for a number") << "training: {epochs: [1]}"
                                           << "training.epochs";
        QTest::newRow("fraction for a count") << "lora: {rank: 8.5}"
                                              << "lora.rank";
        QTest::newRow("text for a switch") << "data: {packing: maybe}"
                                           << "data.packing";
        QTest::newRow("number for a switch") << "data: {packing: 1}"
                                             << "data.packing";
        QTest::newRow("null for a number") << "lora: {dropout: }"
                                           << "lora.dropout";
        QTest::newRow("group for a text") << "name: {a: 1}"
                                          << "name";
        QTest::newRow("value for a group") << "training: 3"
                                           << "training";
        QTest::newRow("infinite") << "training: {learning_rate: .inf}"
                                  << "training.learning_rate";
        QTest::newRow("too large") << "training: {max_steps: 99999999999999999999}"
                                   << "training.max_steps";
        QTest::newRow("source") << "data: {train: [{path: a, wieght: 2}]}"
                                << "data.train";
        QTest::newRow("weight") << "data: {train: [{path: a, weight: much}]}"
                                << "data.train";
        QTest::newRow("list of lists") << "tags: [[a]]"
                                       << "tags";
    }
    void wrongTypeNamesFileAndLine() {
        QFETCH(QString, line);
        QFETCH(QString, key);
        const auto loaded = parseConfig("# a comment\n" + line.toStdString() + "\n", "dir/run.yaml");
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        const auto& problem = loaded.problems.front();
        QCOMPARE(QString::fromStdString(problem.key), key);
        QCOMPARE(problem.line, 2);
        QVERIFY2(contains(problem.text, "dir/run.yaml, line 2"), problem.text.c_str());
        QVERIFY(problem.severity == Severity::Error && !problem.fix.empty());
    }

    void brokenYamlIsOneProblem_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::newRow("unclosed list") << QByteArray("name: x\ntags: [a, b\nmodel: {}\n") << 3;
        QTest::newRow("tab") << QByteArray("name: x\n\tnotes: y\n") << 2;
        QTest::newRow("two colons") << QByteArray("name: a: b\n") << 1;
        QTest::newRow("not UTF-8") << QByteArray("name: x\nnotes: \xff\n") << 2;
        QTest::newRow("a list") << QByteArray("- a\n- b\n") << 1;
        QTest::newRow("very deep") << QByteArray("name: ") + QByteArray(100000, '[') << 1;
    }
    void brokenYamlIsOneProblem() {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        const auto loaded = parseConfig(text.toStdString(), "run.yaml");
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        QVERIFY(hasError(loaded.problems));
        QCOMPARE(loaded.problems.front().line, line);
        QVERIFY2(contains(loaded.problems.front().text, "run.yaml"), loaded.problems.front().text.c_str());
    }

    void aliasesCannotExplode() {
        std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
        for (int i = 1; i < 12; ++i) {
            bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
            for (int j = 0; j < 10; ++j)
                bomb += (j ? ", *a" : "*a") + std::to_string(i - 1);
            bomb += "]\n";
        }
        QVERIFY(contains(parseConfig(bomb).problems.front().text, "too many values"));
    }

    void doubledKeyIsAnError() {
        const auto loaded = parseConfig("name: a\nnotes: b\nname: c\n");
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        QCOMPARE(loaded.problems.front().line, 3);
        QVERIFY(contains(loaded.problems.front().text, "line 1"));
        QCOMPARE(loaded.config.name, std::string("a"));
    }

    void setReachesEverywhere() {
        LoadedConfig loaded;
        for (const auto* assignment :
             {"training.learning_rate=2e-4", "data.train.0.path=a.jsonl", "data.train.1.path=b c.jsonl",
              "data.train.1.weight=0.5", "lora.target_modules=[q_proj, k_proj]",
              "lora.target_modules.1=v_proj", "tags=x, y", "cost={budget: 12, currency: EUR}", "name=007",
              "training.max_steps=null", "evaluation.prompts.0=Why, then?", "notes=a = b",
              "data.validation=0"})
            applyOverride(loaded, assignment);
        QVERIFY2(loaded.problems.empty(),
                 loaded.problems.empty() ? "" : loaded.problems.front().text.c_str());
        const auto& config = loaded.config;
        QCOMPARE(config.training.learning_rate, 2e-4);
        QVERIFY(config.data.train.at(0) == (DataSource{"a.jsonl", "auto", 1}));
        QVERIFY(config.data.train.at(1) == (DataSource{"b c.jsonl", "auto", 0.5}));
        QCOMPARE(config.lora.target_modules, (std::vector<std::string>{"q_proj", "v_proj"}));
        QCOMPARE(config.tags, (std::vector<std::string>{"x", "y"}));
        QCOMPARE(*config.cost.budget, 12.0);
        QCOMPARE(config.cost.currency, std::string("EUR"));
        QCOMPARE(config.name, std::string("007"));
        QCOMPARE(config.evaluation.prompts, std::vector<std::string>{"Why, then?"});
        QCOMPARE(config.notes, std::string("a = b"));
    }

    void badSetIsAProblem_data() {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<QString>("inText");
        QTest::newRow("no equals") << "training.epochs"
                                   << "key=value";
        QTest::newRow("no key") << "=3"
                                << "key=value";
        QTest::newRow("unknown") << "lora_r=8"
                                 << "lora_r";
        QTest::newRow("type") << "training.epochs=many"
                              << "must be a number";
        QTest::newRow("beyond the list") << "data.train.3.path=x"
                                         << "leads to no entry";
        QTest::newRow("into a number") << "training.epochs.0=x"
                                       << "leads to no entry";
        QTest::newRow("broken value") << "tags=[a"
                                      << "not valid YAML";
        QTest::newRow("section to a word") << "training=x"
                                           << "training";
    }
    void badSetIsAProblem() {
        QFETCH(QString, assignment);
        QFETCH(QString, inText);
        LoadedConfig loaded;
        applyOverride(loaded, assignment.toStdString());
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        QVERIFY2(contains(loaded.problems.front().text, inText.toStdString()),
                 loaded.problems.front().text.c_str());
    }

    void numbersIgnoreTheLocale() {
        const CommaLocale locale;
        if (!locale.isWholeC())
            qInfo("only the C++ locale has a decimal comma here");
        RunConfig config;
        config.training.learning_rate = 1e-5;
        config.training.max_steps = 1234567;
        config.lora.dropout = 0.125;
        const auto yaml = writeConfig(config);
        QVERIFY2(contains(yaml, "learning_rate: 1.0e-05\n"), yaml.c_str());
        QVERIFY(contains(yaml, "max_steps: 1234567\n") && contains(yaml, "dropout: 0.125\n"));
        const auto again = parseConfig(yaml);
        QVERIFY(again.problems.empty());
        QCOMPARE(dumpJson(configToJson(again.config)), dumpJson(configToJson(config)));
        QVERIFY(contains(dumpJson(configToJson(config)), "0.125"));
        LoadedConfig loaded;
        applyOverride(loaded, "training.learning_rate=2.5e-4");
        QCOMPARE(loaded.config.training.learning_rate, 2.5e-4);
    }

    void yaml11ReadersSeeTheSame() {
        RunConfig config;
        config.name = "on";
        config.notes = "12:30";
        config.tags = {"yes", "1e5", "null", "2024-01-01", "ünï", ""};
        const auto yaml = writeConfig(config, true);
        QCOMPARE(yaml, std::string("name: \"on\"\ntags: [\"yes\", \"1e5\", \"null\", \"2024-01-01\", "
                                   "\"ünï\", \"\"]\nnotes: \"12:30\"\n"));
        QCOMPARE(writeConfig({}, true), std::string("{}\n"));
    }

    void pathsFollowTheFile() {
        QTemporaryDir folder;
        const auto file = fs::path(folder.path().toStdString()) / "run.yaml";
        QVERIFY(writeFileAtomic(file, "model: {path: ../m.gguf}\ndata: {train: [a.jsonl, /abs/b.jsonl], "
                                      "validation: v.jsonl, template: t.jinja}\n"));
        const auto loaded = loadConfig(file);
        QVERIFY(loaded.ok());
        const auto base = file.parent_path();
        const auto& config = loaded->config;
        QCOMPARE(config.model.path, (base.parent_path() / "m.gguf").string());
        QCOMPARE(config.data.train[0].path, (base / "a.jsonl").string());
        QCOMPARE(config.data.train[1].path, std::string("/abs/b.jsonl"));
        QCOMPARE(config.data.validation, (base / "v.jsonl").string());
        QCOMPARE(config.data.template_source, (base / "t.jinja").string());
        RunConfig hub;
        hub.model.path = "HuggingFaceTB/SmolLM2-135M-Instruct";
        resolvePaths(hub, base);
        QCOMPARE(hub.model.path, std::string("HuggingFaceTB/SmolLM2-135M-Instruct"));
        QCOMPARE(hub.data.validation, std::string("0.05"));
        QVERIFY(!loadConfig(base / "missing.yaml").ok());
    }

    void jsonProblemsHaveNoLine() {
        const auto loaded =
            configFromJson(Json{{"training", {{"epochs", "x"}}}, {"lora_r", 3}, {"lora", {{"rank", 4}}}});
        QCOMPARE(loaded.problems.size(), std::size_t{2});
        for (const auto& problem : loaded.problems)
            QCOMPARE(problem.line, 0);
        QCOMPARE(loaded.config.lora.rank, 4);
        QVERIFY(hasError(configFromJson(Json::array()).problems));
    }
};

QTEST_GUILESS_MAIN(TestConfigIo)
#include "test_config_io.moc"
