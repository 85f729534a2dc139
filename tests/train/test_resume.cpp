#include "core/runfolder/run_folder.h"
#include "tests/train/run_fixture.h"

#include <QProcess>
#include <QTest>
#include <csignal>
#include <cstring>

using namespace anneal;
using namespace anneal::test;

namespace {

const QString engine = QStringLiteral(ANNEAL_BIN_DIR "/anneal-engine");

/// Runs one engine to its end; returns its exit code, or -1 when a signal ended it.
int runEngine(const fs::path& run) {
    QProcess process;
    process.setStandardInputFile(QProcess::nullDevice());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(engine, {"--run", QString::fromStdString(run.string())});
    if (!process.waitForFinished(60000))
        return -2;
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

/// Starts an engine and sends `signal` once `step` steps are on record; returns its exit code, -1 for a
/// signal.
int signalAtStep(const fs::path& run, std::size_t step, int signal) {
    QProcess process;
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(engine, {"--run", QString::fromStdString(run.string())});
    while (process.state() != QProcess::NotRunning && steps(run).size() < step)
        process.waitForFinished(1);
    if (process.state() == QProcess::NotRunning)
        return -3;
    ::kill(static_cast<pid_t>(process.processId()), signal);
    process.waitForFinished(60000);
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void compareRuns(const fs::path& expected, const fs::path& actual) {
    const auto a = steps(expected), b = steps(actual);
    QCOMPARE(b.size(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        QCOMPARE(b[i].step, a[i].step);
        QVERIFY2(sameBits(a[i].loss, b[i].loss), qPrintable(QString("loss of step %1").arg(a[i].step)));
        QVERIFY2(sameBits(a[i].grad_norm, b[i].grad_norm),
                 qPrintable(QString("norm of step %1").arg(a[i].step)));
        QCOMPARE(b[i].tokens, a[i].tokens);
        QCOMPARE(b[i].total_tokens, a[i].total_tokens);
    }
    const auto ea = evaluations(expected), eb = evaluations(actual);
    QVERIFY(!ea.empty());
    QVERIFY(sameBits(ea.back().loss, eb.back().loss));
}

} // namespace

class TestResume : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        reference_ = fixture_.makeRun("reference");
        QCOMPARE(runEngine(reference_), 0);
        const auto state = readState(RunFolder(reference_));
        QVERIFY(state);
        QCOMPARE(state->status, RunStatus::Finished);
        const auto all = steps(reference_);
        QVERIFY(all.size() > 12);
        QVERIFY(all.back().loss < all.front().loss);
    }

    void sigkillInMidEpochContinuesBitwise() {
        const auto run = fixture_.makeRun("killed");
        QCOMPARE(signalAtStep(run, 5, SIGKILL), -1);
        QCOMPARE(runEngine(run), 0);
        compareRuns(reference_, run);
    }

    void sigkillBeforeTheFirstCheckpointStartsAgain() {
        const auto run = fixture_.makeRun("killed-early");
        QCOMPARE(signalAtStep(run, 1, SIGKILL), -1);
        QCOMPARE(runEngine(run), 0);
        compareRuns(reference_, run);
    }

    void sigtermSavesAndEndsResumable() {
        const auto run = fixture_.makeRun("terminated");
        QCOMPARE(signalAtStep(run, 4, SIGTERM), 4);
        const auto state = readState(RunFolder(run));
        QVERIFY(state);
        QCOMPARE(state->status, RunStatus::Stopped);
        const auto checkpoints = listCheckpoints(RunFolder(run), true);
        QVERIFY(!checkpoints.empty());
        QCOMPARE(checkpoints.back().step, state->step);
        QCOMPARE(runEngine(run), 0);
        compareRuns(reference_, run);
    }

    void stopCommandIsAnswered() {
        const auto run = fixture_.makeRun("stopped");
        QVERIFY(makePrivateFolder(RunFolder(run).control()));
        QVERIFY(writeCommand(RunFolder(run), "stop"));
        QCOMPARE(runEngine(run), 4);
        const auto events = readEvents(RunFolder(run));
        QVERIFY(events);
        const bool answered = std::ranges::any_of(*events, [](const EventRecord& record) {
            const auto* command = std::get_if<CommandEvent>(&record.event);
            return command && command->command == "stop" && command->outcome == "accepted";
        });
        QVERIFY(answered);
        QCOMPARE(runEngine(run), 0);
        compareRuns(reference_, run);
    }

    void aBrokenCheckpointIsPassedOver() {
        const auto run = fixture_.makeRun("broken");
        QCOMPARE(signalAtStep(run, 8, SIGKILL), -1);
        const auto checkpoints = listCheckpoints(RunFolder(run));
        QVERIFY(checkpoints.size() >= 2);
        QVERIFY(writeFileAtomic(checkpoints.back().path / "optimizer.safetensors", "torn"));
        QCOMPARE(runEngine(run), 0);
        compareRuns(reference_, run);
    }

    void moreEpochsContinueAFinishedRun() {
        const auto run = fixture_.makeRun("longer");
        QCOMPARE(runEngine(run), 0);
        const auto before = steps(run).size();
        const auto text = readFile(run / "run.yaml");
        QVERIFY(text);
        auto longer = *text;
        longer.replace(longer.find("epochs: 3"), 9, "epochs: 4");
        QVERIFY(writeFileAtomic(run / "run.yaml", longer));
        QCOMPARE(runEngine(run), 0);
        QVERIFY(steps(run).size() > before);
    }

    void microBatchesChangeTheTrajectoryByRoundingOnly() {
        const auto run = fixture_.makeRun("micro");
        const auto text = readFile(run / "run.yaml");
        auto split = *text;
        split.replace(split.find("per_device_batch_size: 2, gradient_accumulation_steps: 2"), 56,
                      "per_device_batch_size: 1, gradient_accumulation_steps: 4");
        QVERIFY(writeFileAtomic(run / "run.yaml", split));
        QCOMPARE(runEngine(run), 0);
        const auto a = steps(reference_), b = steps(run);
        QCOMPARE(b.size(), a.size());
        for (std::size_t i = 0; i < a.size(); ++i)
            QVERIFY2(std::abs(a[i].loss - b[i].loss) < 1e-4 * a[i].loss, qPrintable(QString::number(i)));
    }

private:
    RunFixture fixture_;
    fs::path reference_;
};

QTEST_GUILESS_MAIN(TestResume)
#include "test_resume.moc"
