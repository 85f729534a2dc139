#include "core/base/system.h"
#include "core/runfolder/run_status.h"
#include "core/runfolder/run_summary.h"
#include "tests/run/run_harness.h"

#include <QTest>
#include <algorithm>
#include <csignal>

using namespace anneal;
using namespace anneal::test;

namespace {

/// Waits for the end of a supervisor that was started; -1 for a signal.
int waitFor(QProcess& process) {
    process.waitForFinished(60000);
    return process.state() == QProcess::NotRunning && process.exitStatus() == QProcess::NormalExit
               ? process.exitCode()
               : -1;
}

RunStatus statusOf(const RunFolder& folder) {
    const auto state = readState(folder);
    return state ? effectiveStatus(*state, unixSeconds()) : RunStatus::Queued;
}

std::size_t stepsOf(const RunFolder& folder) { return eventsOf<StepEvent>(folder).size(); }

} // namespace

class TestSupervisor : public QObject {
    Q_OBJECT

private:
    RunHarness harness_;

    int supervise(const RunFolder& folder) {
        return harness_.run({"supervise", folder.path().string()}).code;
    }

private Q_SLOTS:
    void aRunIsPreparedAndFinished() {
        harness_.tellEngine("steps=5,step_ms=300");
        const auto folder = harness_.makeRun("whole");
        QCOMPARE(supervise(folder), 0);
        const auto state = readState(folder);
        QVERIFY(state);
        QCOMPARE(state->status, RunStatus::Finished);
        QCOMPARE(*state->exit_code, 0);
        const auto events = readEvents(folder);
        std::int64_t seq = 0;
        for (const auto& record : *events)
            QCOMPARE(record.seq, ++seq);
        const auto* first = std::get_if<PhaseEvent>(&events->front().event);
        QVERIFY(first && first->name.starts_with("preparing data"));
        QCOMPARE(stepsOf(folder), std::size_t{5});
        const auto loaded = loadConfig(folder.config());
        QVERIFY(fs::exists(loaded->resolved.value("data_folder", "")));
        for (const char* key : {"program_version", "data_fingerprint", "model_fingerprint"})
            QVERIFY2(loaded->resolved.contains(key) || std::string(key) == "program_version", key);
        const auto log = readFile(folder.logs() / "rank-0.log");
        QVERIFY(log && log->find("fake engine, rank 0 of 1") != std::string::npos);
        const auto samples = JsonlFollower(folder.telemetry()).poll();
        QVERIFY(samples.size() >= 2);
        TelemetrySample sample;
        QVERIFY(fromJson(samples.back(), sample));
        QVERIFY(sample.run_memory && *sample.run_memory > 0);
    }

    void aCrashIsContinued() {
        harness_.tellEngine("steps=6,kill_at=4");
        const auto folder = harness_.makeRun("crash");
        QCOMPARE(supervise(folder), 0);
        QCOMPARE(readState(folder)->status, RunStatus::Finished);
        const auto warnings = eventsOf<WarningEvent>(folder);
        QCOMPARE(warnings.size(), std::size_t{1});
        QVERIFY(warnings[0].text.find("SIGKILL") != std::string::npos);
        QCOMPARE(eventsOf<ResumedEvent>(folder).size(), std::size_t{1});
        QCOMPARE(stepsOf(folder), std::size_t{6});
    }

    void crashesAreBounded() {
        harness_.tellEngine("kill_always=1");
        const auto folder = harness_.makeRun("crashes", "hardware: {max_restarts: 1}\n");
        QCOMPARE(supervise(folder), 3);
        const auto state = readState(folder);
        QCOMPARE(state->status, RunStatus::Failed);
        QCOMPARE(*state->exit_code, 3);
        QVERIFY(state->reason.find("SIGKILL") != std::string::npos);
        QVERIFY(state->reason.find("fake engine") != std::string::npos); // its last words
        QCOMPARE(eventsOf<WarningEvent>(folder).size(), std::size_t{1});
        QCOMPARE(eventsOf<FinishedEvent>(folder).back().status, std::string("failed"));
        QCOMPARE(eventsOf<ErrorEvent>(folder).size(), std::size_t{1});
    }

    void invalidInputIsNotTriedAgain() {
        harness_.tellEngine("exit=2");
        const auto folder = harness_.makeRun("invalid");
        QCOMPARE(supervise(folder), 2);
        QCOMPARE(readState(folder)->status, RunStatus::Failed);
        QVERIFY(eventsOf<WarningEvent>(folder).empty());
    }

    void anEngineThatSaysWhyIsBelieved() {
        harness_.tellEngine("fail=1");
        const auto folder = harness_.makeRun("fails");
        QCOMPARE(supervise(folder), 3);
        QCOMPARE(readState(folder)->reason, std::string("The fake engine was told to fail."));
        QCOMPARE(eventsOf<ErrorEvent>(folder).size(), std::size_t{1});
    }

    void badDataEndsBeforeTheEngine() {
        harness_.tellEngine("");
        const auto folder = harness_.makeRun("bad-data");
        QVERIFY(writeFileAtomic(harness_.root() / "broken.jsonl", "{\"input_ids\": [1\n"));
        auto text = *readFile(folder.config());
        text.replace(text.find("train.jsonl"), 11, "broken.jsonl");
        QVERIFY(writeFileAtomic(folder.config(), text));
        QCOMPARE(supervise(folder), 2);
        const auto errors = eventsOf<ErrorEvent>(folder);
        QCOMPARE(errors.size(), std::size_t{1});
        QVERIFY2(errors[0].text.find("broken.jsonl") != std::string::npos, errors[0].text.c_str());
        QVERIFY(!fs::exists(folder.logs() / "rank-0.log"));
        QCOMPARE(readState(folder)->status, RunStatus::Failed);
    }

    void theEngineEndsWithItsSupervisor() {
        harness_.tellEngine("steps=10000,step_ms=50");
        const auto folder = harness_.makeRun("orphan");
        const auto supervisor = harness_.start({"supervise", folder.path().string()});
        QVERIFY(eventually([&] { return stepsOf(folder) >= 2; }));
        const auto engine = static_cast<int>(readState(folder)->pid);
        QVERIFY(engine != supervisor->processId());
        supervisor->kill();
        QCOMPARE(waitFor(*supervisor), -1);
        QVERIFY(eventually([&] { return processStartTime(engine) == 0; }));
        QCOMPARE(statusOf(folder), RunStatus::Interrupted);
        QVERIFY(!listCheckpoints(folder).empty());

        harness_.tellEngine("steps=3,step_ms=1");
        const auto before = listCheckpoints(folder).back().step;
        QCOMPARE(supervise(folder), 0);
        QCOMPARE(eventsOf<ResumedEvent>(folder).back().step, before);
    }

    void stopSavesAndEnds() {
        harness_.tellEngine("steps=10000,step_ms=20");
        const auto folder = harness_.makeRun("stop");
        const auto supervisor = harness_.start({"supervise", folder.path().string()});
        QVERIFY(eventually([&] { return stepsOf(folder) >= 1; }));
        QVERIFY(writeCommand(folder, "stop"));
        QCOMPARE(waitFor(*supervisor), 4);
        QCOMPARE(readState(folder)->status, RunStatus::Stopped);
        QCOMPARE(eventsOf<CommandEvent>(folder).back().outcome, std::string("accepted"));
        QCOMPARE(listCheckpoints(folder).size(), std::size_t{1});
    }

    void stopWorksBeforeTheEngineStarts() {
        harness_.tellEngine("");
        const auto folder = harness_.makeRun("early");
        QVERIFY(writeCommand(folder, "stop"));
        QCOMPARE(supervise(folder), 4);
        QCOMPARE(readState(folder)->status, RunStatus::Stopped);
        QVERIFY(!fs::exists(folder.logs() / "rank-0.log"));
    }

    void sigtermSavesAndEnds() {
        harness_.tellEngine("steps=10000,step_ms=20");
        const auto folder = harness_.makeRun("term");
        const auto supervisor = harness_.start({"supervise", folder.path().string()});
        QVERIFY(eventually([&] { return stepsOf(folder) >= 1; }));
        ::kill(static_cast<pid_t>(supervisor->processId()), SIGTERM);
        QCOMPARE(waitFor(*supervisor), 4);
        QCOMPARE(readState(folder)->status, RunStatus::Stopped);
        QVERIFY(!listCheckpoints(folder).empty());
    }

    void sigintEndsAtOnce() {
        harness_.tellEngine("steps=2,step_ms=30000");
        const auto folder = harness_.makeRun("int");
        const auto supervisor = harness_.start({"supervise", folder.path().string()});
        QVERIFY(eventually([&] { return statusOf(folder) == RunStatus::Running; }));
        ::kill(static_cast<pid_t>(supervisor->processId()), SIGINT);
        QCOMPARE(waitFor(*supervisor), 4);
        QCOMPARE(readState(folder)->status, RunStatus::Stopped);
    }

    void oneRunHasOneSupervisor() {
        harness_.tellEngine("steps=10000,step_ms=20");
        const auto folder = harness_.makeRun("two");
        const auto first = harness_.start({"supervise", folder.path().string()});
        QVERIFY(eventually([&] { return stepsOf(folder) >= 1; }));
        QCOMPARE(supervise(folder), 1);
        QCOMPARE(statusOf(folder), RunStatus::Running);
        QVERIFY(writeCommand(folder, "stop"));
        QCOMPARE(waitFor(*first), 4);
    }

    void leftCommandsAreAnswered() {
        harness_.tellEngine("steps=2,step_ms=1,fail=1");
        const auto folder = harness_.makeRun("left");
        QVERIFY(writeCommand(folder, "pause"));
        QCOMPARE(supervise(folder), 3);
        QCOMPARE(eventsOf<CommandEvent>(folder).back().outcome, std::string("the run has ended"));
        QVERIFY(!takeCommand(folder));
    }

    void theConfiguredCommandIsTold() {
        harness_.tellEngine("steps=1");
        const auto told = harness_.root() / "told $HOME.txt";
        const auto script = harness_.root() / "tell";
        QVERIFY(writeFileAtomic(script, "#!/bin/sh\nprintf '%s %s' \"$ANNEAL_RUN_STATUS\" \"$1\" > \"$2\"\n",
                                0755));
        const auto folder = harness_.makeRun("told", "notify: {on: [finished], command: '" + script.string() +
                                                         " \"a b\" \"" + told.string() + "\"'}\n");
        QCOMPARE(supervise(folder), 0);
        const auto text = readFile(told);
        QVERIFY2(text, text ? "" : text.error().message.c_str());
        QCOMPARE(*text, std::string("finished a b"));
    }
};

QTEST_GUILESS_MAIN(TestSupervisor)
#include "test_supervisor.moc"
