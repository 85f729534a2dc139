#include "core/schema/config_io.h"
#include "ui/forms/proposed_fix.h"

#include <QTest>

using namespace anneal;

class TestProposedFix : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsTheWords_data();
    void readsTheWords();
    void worksOnWhatValidationSays();
};

void TestProposedFix::readsTheWords_data() {
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("fix");
    QTest::addColumn<QByteArray>("expected"); // empty: nothing to do
    QTest::newRow("use") << QByteArray("hardware.ranks") << QByteArray("Use auto.") << QByteArray("\"auto\"");
    QTest::newRow("usual") << QByteArray("data.validation") << QByteArray("0.05 is usual.")
                           << QByteArray("\"0.05\"");
    QTest::newRow("number") << QByteArray("quantization.block_size") << QByteArray("64 is usual.")
                            << QByteArray("64");
    QTest::newRow("choice") << QByteArray("training.scheduler")
                            << QByteArray("Did you mean cosine? It can be a, b.") << QByteArray("\"cosine\"");
    QTest::newRow("default") << QByteArray("training.learning_rate") << QByteArray("The default is 2.0e-04.")
                             << QByteArray("0.0002");
    QTest::newRow("range") << QByteArray("training.learning_rate")
                           << QByteArray("1e-5 to 5e-4 is usual for LoRA.") << QByteArray();
    QTest::newRow("path") << QByteArray("model.path") << QByteArray("Check the path.") << QByteArray();
    QTest::newRow("no choice") << QByteArray("training.scheduler") << QByteArray("Use magic.")
                               << QByteArray();
    QTest::newRow("beyond range") << QByteArray("lora.dropout") << QByteArray("7 is usual.") << QByteArray();
}

void TestProposedFix::readsTheWords() {
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, fix);
    QFETCH(QByteArray, expected);
    const auto proposed = proposedFix({key.toStdString(), 0, Severity::Error, "", fix.toStdString()});
    QCOMPARE(proposed.has_value(), !expected.isEmpty());
    if (proposed)
        QCOMPARE(QByteArray::fromStdString(dumpJson(proposed->value)), expected);
}

/// What the program itself says of a bad configuration can be set right by links, and is right then.
void TestProposedFix::worksOnWhatValidationSays() {
    LoadedConfig loaded;
    loaded.config.lora.use_dora = true;
    loaded.config.lora.rank = 0;
    loaded.config.hardware.threads = "some";
    loaded.config.training.scheduler = "cosin";
    int fixed = 0;
    for (const auto& problem : validate(loaded))
        if (const auto fix = proposedFix(problem)) {
            QVERIFY(!fix->field->write(loaded.config, fix->value));
            ++fixed;
        }
    QVERIFY(fixed >= 4);
    for (const auto& problem : validate(loaded))
        QVERIFY2(problem.key == "model.path" || problem.key == "data.train" ||
                     problem.severity != Severity::Error,
                 problem.text.c_str());
}

QTEST_GUILESS_MAIN(TestProposedFix)
#include "test_proposed_fix.moc"
