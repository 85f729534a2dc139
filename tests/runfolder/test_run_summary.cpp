#include "core/base/system.h"
#include "core/runfolder/registry.h"
#include "core/runfolder/run_status.h"
#include "core/runfolder/run_summary.h"

#include <QTemporaryDir>
#include <QTest>
#include <unistd.h>

using namespace anneal;

namespace {

RunState liveState() {
    RunState state;
    state.status = RunStatus::Running;
    state.host = hostName();
    state.boot_id = bootId();
    state.pid = ::getpid();
    state.pid_start_time = processStartTime(::getpid());
    state.heartbeat = unixSeconds();
    state.created = 1000;
    state.active_seconds = 7200;
    return state;
}

StepEvent stepEvent(std::int64_t step, double loss) {
    StepEvent event;
    event.step = step;
    event.epoch = static_cast<double>(step) / 10;
    event.loss = loss;
    event.tokens = 1000;
    event.total_tokens = 1000 * step;
    event.seconds = 2;
    return event;
}

EvaluationEvent evaluation(std::int64_t step, double loss) {
    EvaluationEvent event;
    event.step = step;
    event.loss = loss;
    event.seconds = 1;
    return event;
}

} // namespace

class TestRunSummary : public QObject {
    Q_OBJECT

private:
    QTemporaryDir directory_;
    int count_ = 0;

    RunFolder newFolder() {
        const auto runs = fs::path(directory_.path().toStdString()) / std::to_string(count_++);
        const auto folder = createRunFolder(runs, "a", "");
        Q_ASSERT(folder);
        (void)writeFileAtomic(folder->config(),
                              "name: demo\ntags: [x]\nmodel: {path: org/model}\n"
                              "cost: {hourly_rate: 36, currency: EUR}\n"
                              "evaluation: {every_steps: 10}\ncheckpoint: {every_steps: 10}\n"
                              "resolved: {program_version: 0.1.0}\n");
        return *folder;
    }

private Q_SLOTS:
    void statusOfWhatClaimsToRun() {
        const double now = unixSeconds();
        auto state = liveState();
        QCOMPARE(effectiveStatus(state, now), RunStatus::Running);
        QVERIFY(isAlive(state, now));
        state.heartbeat = now - 31;
        QCOMPARE(effectiveStatus(state, now), RunStatus::Interrupted);
        state = liveState();
        state.pid_start_time += 1; // the pid was given to another process
        QCOMPARE(effectiveStatus(state, now), RunStatus::Interrupted);
        state = liveState();
        state.boot_id = "another boot";
        QCOMPARE(effectiveStatus(state, now), RunStatus::Interrupted);
        state = liveState();
        state.host = "another-host"; // its processes cannot be seen: only the heartbeat counts
        state.pid_start_time += 1;
        QCOMPARE(effectiveStatus(state, now), RunStatus::Running);
        state.status = RunStatus::Finished;
        state.heartbeat = 0;
        QCOMPARE(effectiveStatus(state, now), RunStatus::Finished);
        state.status = RunStatus::Queued;
        QCOMPARE(effectiveStatus(state, now), RunStatus::Queued);
    }

    void numbersComeFromTheEvents() {
        const auto folder = newFolder();
        QVERIFY(writeState(folder, liveState()));
        auto writer = EventWriter::open(folder);
        StartedEvent started;
        started.max_steps = 20;
        QVERIFY(writer->write(started));
        QVERIFY(writer->write(evaluation(0, 4.0)));
        for (int step = 1; step <= 10; ++step)
            QVERIFY(writer->write(stepEvent(step, 3.0 - 0.1 * step)));
        QVERIFY(writer->write(evaluation(10, 2.5)));
        const auto summary = summarizeRun(folder);
        QVERIFY(summary);
        QCOMPARE(summary->id, std::string("a"));
        QCOMPARE(summary->name, std::string("demo"));
        QCOMPARE(summary->status, RunStatus::Running);
        QCOMPARE(summary->step, 10);
        QCOMPARE(*summary->max_steps, 20);
        QCOMPARE(*summary->train_loss, 2.0);
        QCOMPARE(*summary->base_validation_loss, 4.0);
        QCOMPARE(*summary->validation_loss, 2.5);
        QCOMPARE(summary->best->step, 10);
        QCOMPARE(summary->tokens, 10000);
        QCOMPARE(*summary->tokens_per_second, 500.0);
        QVERIFY(summary->seconds >= 7200 && summary->seconds < 7210);
        QVERIFY(summary->seconds_left->low < 21 && summary->seconds_left->high > 20);
        QVERIFY(std::abs(*summary->cost.spent - 72) < 0.2);
        QVERIFY(*summary->cost.projected > *summary->cost.spent);
        QCOMPARE(summary->cost.currency, std::string("EUR"));
    }

    void bestIsTheSmallestFiniteLossAfterTheBase() {
        const auto folder = newFolder();
        auto state = liveState();
        state.status = RunStatus::Finished;
        QVERIFY(writeState(folder, state));
        auto writer = EventWriter::open(folder);
        QVERIFY(writer->write(evaluation(0, 1.0)));
        QVERIFY(writer->write(evaluation(10, 2.0)));
        QVERIFY(writer->write(evaluation(20, std::nan(""))));
        QVERIFY(writer->write(evaluation(30, 2.2)));
        const auto summary = summarizeRun(folder);
        QCOMPARE(summary->best->step, 10);
        QCOMPARE(*summary->validation_loss, 2.2);
        QCOMPARE(summary->seconds_left->high, 0.0);
        QCOMPARE(*summary->cost.projected, *summary->cost.spent);
    }

    void aRunThatHasSaidNothingHasNulls() {
        const auto folder = newFolder();
        RunState state;
        QVERIFY(writeState(folder, state));
        const auto json = toJson(*summarizeRun(folder));
        QCOMPARE(json["status"].get<std::string>(), std::string("queued"));
        for (const char* key : {"max_steps", "epoch", "train_loss", "validation_loss", "base_validation_loss",
                                "best", "tokens_per_second", "seconds_left"})
            QVERIFY2(json[key].is_null(), key);
        QVERIFY(!summarizeRun(RunFolder("/nowhere/run")));
    }

    void followerReplaysWhenTheRunResumes() {
        const auto folder = newFolder();
        QVERIFY(writeState(folder, liveState()));
        auto writer = EventWriter::open(folder);
        for (int step = 1; step <= 6; ++step)
            QVERIFY(writer->write(stepEvent(step, 3.0 - 0.1 * step)));
        RunFollower follower(folder);
        auto update = follower.poll();
        QVERIFY(update.replay);
        QCOMPARE(update.events.size(), std::size_t{6});
        QVERIFY(writer->write(stepEvent(7, 1)));
        update = follower.poll();
        QVERIFY(!update.replay);
        QCOMPARE(update.events.size(), std::size_t{1});
        QCOMPARE(follower.summary().step, 7);
        QVERIFY(writer->write(ResumedEvent{4, ""}));
        update = follower.poll();
        QVERIFY(update.replay);
        QCOMPARE(update.events.size(), std::size_t{5});
        QCOMPARE(follower.summary().step, 4);
        QVERIFY(std::abs(*follower.summary().train_loss - 2.6) < 1e-12);
        QCOMPARE(follower.summary().tokens, 4000);
    }

    void rateOfTheCatalogueIsReadFromTheResolvedBlock() {
        auto loaded = parseConfig("resolved: {hourly_rate: 12.5}\n");
        QCOMPARE(*summarySettings(loaded).hourly_rate, 12.5);
        loaded.config.cost.hourly_rate = 3;
        QCOMPARE(*summarySettings(loaded).hourly_rate, 3.0);
    }
};

QTEST_GUILESS_MAIN(TestRunSummary)
#include "test_run_summary.moc"
