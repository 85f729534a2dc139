#include "core/base/files.h"
#include "core/base/text.h"
#include "core/schema/config_io.h"

#include <QTest>
#include <set>

using namespace anneal;

namespace {

/// A valid value of the setting that is not its default.
Json otherValue(const Field& field) {
    const Json standard = field.read(RunConfig());
    switch (field.kind) {
    case FieldKind::Boolean: return !standard.get<bool>();
    case FieldKind::Integer:
        return standard.is_null() ? std::int64_t{7} : standard.get<std::int64_t>() * 2 + 1;
    case FieldKind::Number: return standard.is_null() ? 12.5 : standard.get<double>() / 3 + 1e-7;
    case FieldKind::Path: return "/data/a folder/öß: #1.jsonl";
    case FieldKind::Text:
        return field.choices.empty() ? "a \"text\": yes\n  second line # no comment"
                                     : field.choices.back() + "2";
    case FieldKind::TextList:
        return Json::array({field.choices.empty() ? "one, two" : field.choices.back(), "3", "no"});
    case FieldKind::Choice: return field.choices.back();
    case FieldKind::Sources: break;
    }
    return Json::array({{{"path", "a, b: c.jsonl"}, {"format", "text"}, {"weight", 0.25}},
                        {{"path", "/x/[1].csv"}, {"format", "auto"}, {"weight", 2.0}}});
}

std::string name(const Field& field) { return std::string(field.key); }

} // namespace

class TestFieldTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRowExplainsItself() {
        std::set<std::string> keys;
        for (const auto& field : fieldTable()) {
            QVERIFY2(keys.insert(name(field)).second, "twice: " + QByteArray::fromStdString(name(field)));
            QVERIFY2(!field.label.empty() && !field.group.empty(), name(field).c_str());
            QVERIFY2(field.help.ends_with('.'), name(field).c_str());
            QVERIFY2(!field.since.empty(), name(field).c_str());
            QVERIFY2(field.kind != FieldKind::Choice || !field.choices.empty(), name(field).c_str());
            QVERIFY2(findField(field.key) == &field, name(field).c_str());
            if (!field.visibleWhen.empty())
                QVERIFY2(findField(field.visibleWhen.substr(0, field.visibleWhen.find_first_of("=!<>"))),
                         name(field).c_str());
        }
        QVERIFY(!findField("training"));
    }

    void everyDefaultIsValid() {
        for (const auto& problem : validate({})) {
            const bool missingInput = problem.key == "model.path" || problem.key == "data.train";
            QVERIFY2(missingInput, (problem.key + ": " + problem.text).c_str());
        }
        for (const auto& field : fieldTable()) {
            RunConfig config;
            QVERIFY2(!field.write(config, field.read(config)), name(field).c_str());
            QCOMPARE(dumpJson(configToJson(config)), dumpJson(configToJson(RunConfig())));
        }
    }

    void everyRowSurvivesJsonYamlAndSet() {
        for (const auto& field : fieldTable()) {
            RunConfig config;
            const auto value = otherValue(field);
            QVERIFY2(value != field.read(config) || field.choices.size() == 1, name(field).c_str());
            const auto error = field.write(config, value);
            QVERIFY2(!error, (name(field) + " " + error.value_or("")).c_str());
            const auto json = configToJson(config);

            const auto fromJson = configFromJson(json);
            QVERIFY2(fromJson.problems.empty(), name(field).c_str());
            for (const bool onlyChanged : {false, true}) {
                const auto yaml = writeConfig(fromJson.config, onlyChanged);
                const auto fromYaml = parseConfig(yaml);
                QVERIFY2(fromYaml.problems.empty(), (name(field) + "\n" + yaml).c_str());
                QCOMPARE(dumpJson(configToJson(fromYaml.config)), dumpJson(json));
            }
            LoadedConfig fromSet;
            applyOverride(fromSet, overrideText(field, config));
            QVERIFY2(fromSet.problems.empty(), overrideText(field, config).c_str());
            QCOMPARE(dumpJson(configToJson(fromSet.config)), dumpJson(json));
        }
    }

    void aliasesLeadToOneSetting() {
        std::map<std::string, std::string> seen;
        for (const auto& field : fieldTable())
            for (const auto& alias : field.aliases) {
                const auto [other, isNew] = seen.emplace(alias, name(field));
                QVERIFY2(isNew,
                         (alias + " is an alias of " + other->second + " and of " + name(field)).c_str());
                QCOMPARE(suggestKey(alias).value_or(""), name(field));
            }
        QVERIFY(seen.size() > 150);
    }

    void suggestsWhatWasMeant_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("meant");
        const char* const cases[][2] = {
            {"lora_r", "lora.rank"},
            {"r", "lora.rank"},
            {"lora.r", "lora.rank"},
            {"lora_alpha", "lora.alpha"},
            {"lora_target", "lora.target_modules"},
            {"load_in_4bit", "quantization.type"},
            {"micro_batch_size", "training.per_device_batch_size"},
            {"training.per_device_train_batch_size", "training.per_device_batch_size"},
            {"cutoff_len", "data.max_length"},
            {"sequence_len", "data.max_length"},
            {"max_seq_length", "data.max_length"},
            {"val_size", "data.validation"},
            {"val_set_size", "data.validation"},
            {"train_on_inputs", "data.loss_on"},
            {"lr_scheduler_type", "training.scheduler"},
            {"save_steps", "checkpoint.every_steps"},
            {"eval_steps", "evaluation.every_steps"},
            {"save_total_limit", "checkpoint.keep"},
            {"attn_implementation", "model.attention"},
            {"num_train_epochs", "training.epochs"},
            {"learning_rate", "training.learning_rate"},
            {"Learning-Rate", "training.learning_rate"},
            {"lora.rnk", "lora.rank"},
            {"training.learning_rte", "training.learning_rate"},
            {"trainig", "training"},
            {"evaluation.every_step", "evaluation.every_steps"},
            {"checkpoint.every_step", "checkpoint.every_steps"},
            {"lora.dropuot", "lora.dropout"}};
        for (const auto& [written, meant] : cases)
            QTest::newRow(written) << written << meant;
    }
    void suggestsWhatWasMeant() {
        QFETCH(QString, written);
        QFETCH(QString, meant);
        QCOMPARE(QString::fromStdString(suggestKey(written.toStdString()).value_or("")), meant);
    }

    void suggestsNothingForTheUnheardOf() {
        QVERIFY(!suggestKey("xylophone_of_the_moon"));
        QVERIFY(!suggestKey(""));
    }

    void markdownListsEveryRow() {
        const auto text = configMarkdown();
        for (const auto& field : fieldTable())
            QVERIFY2(text.find("| `" + name(field) + "` |") != std::string::npos, name(field).c_str());
        QVERIFY(text.find("| `training.adam_epsilon` | `1.0e-08` |") != std::string::npos);
    }

    void theManualIsOfThisTable() {
        const auto manual = readFile(ANNEAL_SOURCE_DIR "/docs/settings.md");
        QVERIFY2(manual && *manual == configMarkdown(),
                 "Write it anew: build/release/bin/anneal config --markdown > docs/settings.md");
    }
};

QTEST_APPLESS_MAIN(TestFieldTable)
#include "test_field_table.moc"
