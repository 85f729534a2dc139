#include "ui/client/text.h"
#include "ui/forms/condition.h"
#include "ui/forms/config_form.h"
#include "ui/models/style_properties.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using namespace anneal;

class TestConfigForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySettingHasItsControl();
    void everyValueSurvivesItsControl();
    void editingChangesTheConfiguration();
    void wrongTypeStandsBesideItsField();
    void servedProblemStandsBesideItsField();
    void errorUnfoldsExperts();
    void fixIsDone();
    void visibilityFollowsOtherSettings();
    void searchKnowsOtherToolsNames();
    void arrowsStepNumbers();
    void sourcesAreEdited();
};

/// A configuration in which as much as possible differs from the defaults.
static RunConfig unusual() {
    RunConfig config;
    config.name = "näme";
    config.tags = {"a", "b"};
    config.notes = "two\nlines";
    config.model = {"/models/x", "float32", "math"};
    config.quantization = {"none", false, 128};
    config.lora.rank = 48;
    config.lora.alpha = 7.25;
    config.lora.target_modules = {"q_proj", "v_proj"};
    config.lora.init_adapter = "/adapters/one";
    config.data.train = {{"/data/a.jsonl", "messages", 2.5}, {"/data/b.csv", "auto", 1.0}};
    config.data.validation = "/data/v.jsonl";
    config.training.max_steps = 123;
    config.training.learning_rate = 1.2345678901e-5;
    config.training.warmup_steps = 7;
    config.training.seed = 9007199254740991;
    config.evaluation.prompts = {"What, then?", "And now?"};
    config.evaluation.metrics = {"loss", "f1"};
    config.cost.hourly_rate = 0.08;
    config.cost.budget = 5000;
    config.on_exit.command = "poweroff";
    return config;
}

static QLineEdit* editOf(ConfigForm& form, const char* key) {
    return qobject_cast<QLineEdit*>(form.cell(key)->control().buddy());
}

void TestConfigForm::everySettingHasItsControl() {
    ConfigForm form;
    for (const auto& field : fieldTable()) {
        auto* cell = form.cell(field.key);
        QVERIFY2(cell, std::string(field.key).c_str());
        QVERIFY(cell->toolTip().contains(toQt(field.help).toHtmlEscaped()));
        const auto labels = cell->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text() == toQt(field.label) && label->buddy() == cell->control().buddy();
        }));
        QCOMPARE(cell->control().buddy()->accessibleName(), toQt(field.label));
        QVERIFY(!cell->control().buddy()->accessibleDescription().isEmpty());
    }
}

void TestConfigForm::everyValueSurvivesItsControl() {
    for (const auto& config : {RunConfig(), unusual()}) {
        ConfigForm form;
        form.setConfig(config);
        for (const auto& field : fieldTable()) {
            RunConfig again;
            const auto wrong = field.write(again, form.cell(field.key)->control().value());
            QVERIFY2(!wrong, (std::string(field.key) + " " + wrong.value_or("")).c_str());
            QCOMPARE(dumpJson(field.read(again)), dumpJson(field.read(config)));
        }
        QVERIFY(form.problems().empty());
    }
}

void TestConfigForm::editingChangesTheConfiguration() {
    ConfigForm form;
    QSignalSpy changed(&form, &ConfigForm::configChanged);
    editOf(form, "training.learning_rate")->setText("5e-5");
    QCOMPARE(form.config().training.learning_rate, 5e-5);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed[0][0].toString(), QString("training.learning_rate"));
    QVERIFY(form.modified());
    editOf(form, "training.max_steps")->setText("40");
    QCOMPARE(form.config().training.max_steps, std::optional<std::int64_t>(40));
    editOf(form, "training.max_steps")->clear();
    QVERIFY(!form.config().training.max_steps);
}

void TestConfigForm::wrongTypeStandsBesideItsField() {
    ConfigForm form;
    editOf(form, "lora.rank")->setText("many");
    const auto& note = form.cell("lora.rank")->note();
    QCOMPARE(note.problems().size(), std::size_t(1));
    QVERIFY(note.text().contains("lora.rank"));
    QVERIFY(!note.isHidden());
    QVERIFY(hasError(form.problems()));
    QVERIFY(editOf(form, "lora.rank")->property(markProperty).value<QColor>().isValid());
    editOf(form, "lora.rank")->setText("8");
    QVERIFY(form.problems().empty());
    QVERIFY(note.isHidden());
    QVERIFY(!editOf(form, "lora.rank")->property(markProperty).value<QColor>().isValid());
}

void TestConfigForm::servedProblemStandsBesideItsField() {
    ConfigForm form;
    form.setProblems(
        {{"data.train.0.path", 0, Severity::Error, "The training data x does not exist.", "Check the path."},
         {"lora.alpha", 0, Severity::Note, "Unusual.", ""}});
    QCOMPARE(form.cell("data.train")->note().problems().size(), std::size_t(1));
    QVERIFY(form.cell("data.train")->note().text().contains("does not exist"));
    QCOMPARE(form.cell("lora.alpha")->note().problems().size(), std::size_t(1));
    QCOMPARE(form.problems().front().severity, Severity::Error);
    form.setProblems({});
    QVERIFY(form.cell("data.train")->note().isHidden());
}

void TestConfigForm::errorUnfoldsExperts() {
    ConfigForm form;
    QVERIFY(!form.section("Training").unfolded());
    form.setProblems({{"training.seed", 0, Severity::Error, "Wrong.", ""}});
    QVERIFY(form.section("Training").unfolded());
}

void TestConfigForm::fixIsDone() {
    ConfigForm form;
    auto config = form.config();
    config.lora.use_dora = true;
    form.setConfig(config);
    const Problem problem{"lora.use_dora", 0, Severity::Error, "DoRA is not available.",
                          "Set lora.use_dora to false."};
    form.setProblems({problem});
    QVERIFY(form.cell("lora.use_dora")->note().text().contains("fix:0"));
    Q_EMIT form.cell("lora.use_dora")->note().fixChosen(problem);
    QVERIFY(!form.config().lora.use_dora);
    QVERIFY(form.cell("lora.use_dora")->control().value() == Json(false));
}

void TestConfigForm::visibilityFollowsOtherSettings() {
    RunConfig config;
    QVERIFY(conditionHolds("", config));
    QVERIFY(conditionHolds("quantization.type=nf4", config));
    QVERIFY(!conditionHolds("quantization.type!=nf4", config));
    QVERIFY(!conditionHolds("evaluation.early_stopping.patience>0", config));
    ConfigForm form;
    QVERIFY(!form.cell("quantization.block_size")->isHidden());
    config.quantization.type = "none";
    form.setConfig(config);
    QVERIFY(form.cell("quantization.block_size")->isHidden());
}

void TestConfigForm::searchKnowsOtherToolsNames() {
    ConfigForm form;
    QVERIFY(form.search("cutoff_len") >= 1);
    QVERIFY(!form.cell("data.max_length")->isHidden());
    QVERIFY(form.cell("training.learning_rate")->isHidden());
    QCOMPARE(form.search("xyzzy"), 0);
    form.search("");
    QVERIFY(!form.cell("training.learning_rate")->isHidden());
}

void TestConfigForm::arrowsStepNumbers() {
    ConfigForm form;
    auto* rank = editOf(form, "lora.rank");
    QTest::keyClick(rank, Qt::Key_Up);
    QCOMPARE(form.config().lora.rank, 32);
    QTest::keyClick(rank, Qt::Key_Down);
    QTest::keyClick(rank, Qt::Key_Down);
    QCOMPARE(form.config().lora.rank, 8);
    auto* dropout = editOf(form, "lora.dropout");
    QTest::keyClick(dropout, Qt::Key_Up);
    QCOMPARE(dropout->text(), QString("0.06"));
    editOf(form, "training.epochs")->setText("1");
    QTest::keyClick(editOf(form, "training.epochs"), Qt::Key_Up);
    QCOMPARE(form.config().training.epochs, 2.0);
}

void TestConfigForm::sourcesAreEdited() {
    ConfigForm form;
    auto config = form.config();
    config.data.train = {{"/a.jsonl", "auto", 1.0}};
    form.setConfig(config);
    editOf(form, "data.train")->setText("/b.jsonl");
    QCOMPARE(form.config().data.train.front().path, std::string("/b.jsonl"));
}

QTEST_MAIN(TestConfigForm)
#include "test_config_form.moc"
