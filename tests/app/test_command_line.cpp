#include "core/schema/config_io.h"
#include "tests/run/run_harness.h"

#include <QTest>
#include <csignal>

using namespace anneal;
using namespace anneal::test;

namespace {

void verifySummaryShape(const Json& summary) {
    for (const char* key : {"id", "status", "step", "max_steps", "epoch", "train_loss", "validation_loss",
                            "base_validation_loss", "best", "tokens", "tokens_per_second", "seconds",
                            "seconds_left", "cost", "folder"})
        QVERIFY2(summary.contains(key), key);
    for (const char* key : {"spent", "projected", "currency"})
        QVERIFY2(summary["cost"].contains(key), key);
}

} // namespace

class TestCommandLine : public QObject {
    Q_OBJECT

private:
    RunHarness harness_;

    std::string config(const std::string& extra = {}) {
        static int count = 0;
        return harness_.writeConfig("config" + std::to_string(++count) + ".yaml", extra).string();
    }

private Q_SLOTS:
    void init() { harness_.tellEngine("steps=5,step_ms=20"); }

    void wrongArgumentsAreInvalidInput() {
        for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                          {"dance"},
                                                          {"run"},
                                                          {"show"},
                                                          {"run", "a", "--what"},
                                                          {"config"},
                                                          {"serve"}}) {
            const auto result = harness_.run(arguments);
            QCOMPARE(result.code, 2);
            QVERIFY(result.output.empty() && !result.errors.empty());
        }
        QCOMPARE(harness_.run({"--help"}).code, 0);
        QVERIFY(harness_.run({"--version"}).output.starts_with("anneal "));
    }

    void validateTellsAllProblems() {
        QCOMPARE(harness_.run({"validate", config()}).code, 0);
        const auto result = harness_.run(
            {"validate", config("lora_r: 8\ntraining: {learning_rate: fast, epochs: -1}\n"), "--json"});
        QCOMPARE(result.code, 2);
        const auto problems = result.json()["problems"];
        QVERIFY(problems.size() >= 3);
        for (const auto& problem : problems)
            for (const char* key : {"key", "line", "severity", "text", "fix"})
                QVERIFY2(problem.contains(key), key);
        QVERIFY(problems[0]["line"].get<int>() > 0);
        QVERIFY2(dumpJson(problems).find("lora.rank") != std::string::npos, dumpJson(problems).c_str());
        QCOMPARE(harness_.run({"validate", config(), "--set", "lora.rank=0"}).code, 2);
        QCOMPARE(harness_.run({"validate", "missing.yaml", "--json"}).code, 2);
    }

    void configIsPrinted() {
        const auto dump = harness_.run({"config", "--dump"});
        QCOMPARE(dump.code, 0);
        const auto loaded = parseConfig(dump.output);
        QVERIFY(loaded.problems.empty());
        QVERIFY(harness_.run({"config", "--markdown"}).output.find("learning_rate") != std::string::npos);
    }

    void inspectShowsRowsAsTheyAre() {
        const auto result = harness_.run({"inspect", config(), "--rows", "3", "--json"});
        QVERIFY2(result.code == 0, result.errors.c_str());
        const auto json = result.json();
        QCOMPARE(json["rows"].size(), std::size_t{3});
        const auto& row = json["rows"][1];
        QCOMPARE(row["source"]["line"].get<int>(), 2);
        QCOMPARE(row["input_ids"].size(), std::size_t{5});
        QCOMPARE(row["labels"][0].get<int>(), -100);
        QCOMPARE(row["labels"][4].get<int>(), 8);
        QCOMPARE(json["summary"]["rows"].get<int>(), 20);
        QCOMPARE(json["summary"]["supervised_tokens"].get<int>(), 60);
        QVERIFY(json["summary"]["rejected"].is_array());
        QVERIFY(harness_.run({"inspect", config()}).output.find("5 tokens, 3 trained") != std::string::npos);
    }

    void planAndPrepareEstimateAndStore() {
        const auto planned = harness_.run({"plan", config(), "--json"});
        QVERIFY2(planned.code == 0, planned.errors.c_str());
        const auto plan = planned.json();
        QVERIFY(plan["memory"]["per_gpu_bytes"].get<double>() > 0);
        for (const char* key : {"tokens", "steps", "seconds_low", "seconds", "seconds_high", "basis"})
            QVERIFY2(plan["time"].contains(key), key);
        QVERIFY(plan["cost"].is_array());
        const auto prepared = harness_.run({"prepare", config(), "--json"});
        QCOMPARE(prepared.code, 0);
        QCOMPARE(prepared.json()["train"]["rows"].get<int>(), 20);
        QVERIFY(fs::exists(prepared.json()["folder"].get<std::string>()));
        QVERIFY(!harness_.run({"plan", config()}).output.empty());
    }

    void aRunEndsWithItsSummary() {
        const auto result =
            harness_.run({"run", config("cost: {hourly_rate: 2}\n"), "--name", "first", "--json"});
        QVERIFY2(result.code == 0, result.errors.c_str());
        const auto json = result.json();
        verifySummaryShape(json);
        QCOMPARE(json["id"].get<std::string>(), std::string("first"));
        QCOMPARE(json["status"].get<std::string>(), std::string("finished"));
        QCOMPARE(json["step"].get<int>(), 5);
        QCOMPARE(json["base_validation_loss"].get<double>(), 4.0);
        QCOMPARE(json["best"]["step"].get<int>(), 5);
        const auto shown = harness_.run({"show", "fir", "--json"});
        QCOMPARE(dumpJson(shown.json()), dumpJson(json));
        const auto listed = harness_.run({"list", "--json"}).json()["runs"];
        QVERIFY(!listed.empty());
        verifySummaryShape(listed[0]);
        QVERIFY(harness_.run({"list"}).output.find("first") != std::string::npos);
        QVERIFY(harness_.run({"show", "last"}).output.find("finished") != std::string::npos);
        QCOMPARE(dumpJson(harness_.run({"attach", "first", "--json"}).json()), dumpJson(json));
        QVERIFY(harness_.run({"logs", "first"}).output.find("fake engine") != std::string::npos);
        QCOMPARE(harness_.run({"run", config(), "--name", "first"}).code, 2); // taken
        QCOMPARE(harness_.run({"stop", "first"}).code, 2);
        QCOMPARE(harness_.run({"resume", "first"}).code, 2); // finished
    }

    void progressIsTold() {
        const auto result = harness_.run({"run", config(), "--name", "told"});
        QCOMPARE(result.code, 0);
        for (const char* text :
             {"preparing data", "training", "base model: validation loss 4.0000", "loss 0.6"})
            QVERIFY2(result.errors.find(text) != std::string::npos, (text + result.errors).c_str());
        QVERIFY(result.output.find("finished") != std::string::npos);
    }

    void exitCodesTellHowARunEnded() {
        harness_.tellEngine("fail=1");
        auto result = harness_.run({"run", config(), "--name", "failing", "--json"});
        QCOMPARE(result.code, 3);
        QCOMPARE(result.json()["status"].get<std::string>(), std::string("failed"));
        QVERIFY(result.errors.find("told to fail") != std::string::npos);
        harness_.tellEngine("exit=2");
        QCOMPARE(harness_.run({"run", config(), "--name", "invalid"}).code, 2);
        result = harness_.run({"run", config("lora_r: 8\n"), "--json"});
        QCOMPARE(result.code, 2);
        QVERIFY(result.output.empty());
        QVERIFY(result.errors.find("lora.rank") != std::string::npos);
    }

    void ctrlCSavesAndStops() {
        harness_.tellEngine("steps=10000,step_ms=20");
        const auto process = harness_.start({"run", config(), "--name", "interrupted", "--json"});
        const RunFolder folder(harness_.runs() / "interrupted");
        QVERIFY(eventually([&] { return !eventsOf<StepEvent>(folder).empty(); }));
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished(20000));
        QCOMPARE(process->exitCode(), 4);
        const auto json = parseJson(process->readAllStandardOutput().toStdString(), "output");
        QCOMPARE((*json)["status"].get<std::string>(), std::string("stopped"));
        QVERIFY(!listCheckpoints(folder).empty());
    }

    void aSecondCtrlCStopsAtOnce() {
        harness_.tellEngine("steps=2,step_ms=60000");
        const auto process = harness_.start({"run", config(), "--name", "at-once"});
        const RunFolder folder(harness_.runs() / "at-once");
        QVERIFY(
            eventually([&] { return readState(folder) && readState(folder)->status == RunStatus::Running; }));
        QTest::qWait(300);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QTest::qWait(600);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished(20000));
        QCOMPARE(process->exitCode(), 4);
    }

    void detachedRunsAreControlled() {
        harness_.tellEngine("steps=10000,step_ms=20");
        const auto started = harness_.run({"run", config(), "--name", "detached", "--detach"});
        QCOMPARE(started.code, 0);
        QCOMPARE(started.output, std::string("detached\n"));
        const RunFolder folder(harness_.runs() / "detached");
        QVERIFY(eventually([&] { return !eventsOf<StepEvent>(folder).empty(); }));
        QCOMPARE(harness_.run({"resume", "detached"}).code, 2); // it runs
        QCOMPARE(harness_.run({"pause", "detached"}).code, 0);
        QCOMPARE(readState(folder)->status, RunStatus::Paused);
        QCOMPARE(harness_.run({"resume", "detached"}).code, 0);
        QCOMPARE(readState(folder)->status, RunStatus::Running);
        QCOMPARE(harness_.run({"delete", "detached", "--yes"}).code, 2);
        QCOMPARE(harness_.run({"stop", "detached"}).code, 0);
        QCOMPARE(readState(folder)->status, RunStatus::Stopped);
        harness_.tellEngine("steps=3,step_ms=1");
        const auto resumed = harness_.run({"resume", "detached", "--attach", "--json"});
        QCOMPARE(resumed.code, 0);
        QCOMPARE(resumed.json()["status"].get<std::string>(), std::string("finished"));
        QCOMPARE(harness_.run({"delete", "detached"}).code, 2); // nobody to ask
        QCOMPARE(harness_.run({"delete", "detached", "--yes"}).code, 0);
        QVERIFY(!fs::exists(folder.path()));
    }

    void aDryRunStartsNothing() {
        const auto result = harness_.run({"run", config(), "--name", "dry", "--dry-run", "--json"});
        QCOMPARE(result.code, 0);
        QVERIFY(result.json()["plan"]["memory"].is_object());
        QVERIFY(result.json()["problems"].is_array());
        QVERIFY(!fs::exists(harness_.runs() / "dry"));
    }

    void runsAreNamedClearly() {
        const auto result = harness_.run({"show", "nobody", "--json"});
        QCOMPARE(result.code, 2);
        QVERIFY(result.output.empty());
        QVERIFY(result.errors.find("nobody") != std::string::npos);
        const auto other = (harness_.root() / "other").string();
        QVERIFY(harness_.run({"list", "--runs-dir", other, "--json"}).json()["runs"].empty());
    }

    void jobsGoThroughTheEngine() {
        QCOMPARE(harness_.run({"run", config(), "--name", "job"}).code, 0);
        const auto data = (harness_.root() / "validation.jsonl").string();
        const auto evaluated = harness_.run(
            {"evaluate", "job", "--data", data, "--set", "evaluation.metrics=[loss, f1]", "--json"});
        QVERIFY2(evaluated.code == 0, evaluated.errors.c_str());
        const auto job = evaluated.json()["job"];
        QCOMPARE(job["data"].get<std::string>(), data);
        QCOMPARE(dumpJson(job["config"]["evaluation"]["metrics"]), std::string("[\"loss\",\"f1\"]"));
        QVERIFY(job["adapter"].get<std::string>().ends_with("step-00000005"));
        const auto base = harness_.run({"evaluate", "job", "--checkpoint", "none", "--data", data, "--json"});
        QVERIFY(base.json()["job"]["adapter"].is_null());
        QCOMPARE(harness_.run({"evaluate", "job", "--data", "missing.jsonl"}).code, 2);
        QCOMPARE(harness_.run({"evaluate", "job", "--checkpoint", "77", "--data", data}).code, 2);

        const std::string model = ANNEAL_SOURCE_DIR "/tests/golden/data/tiny-llama";
        const auto generated = harness_.run({"generate", model, "--prompt", "[a, b]", "--json"});
        QCOMPARE(dumpJson(generated.json()["job"]["prompts"]), std::string("[\"[a, b]\"]"));
        QCOMPARE(harness_.run({"generate", model, "--prompt", "hi"}).output, std::string("an answer\n"));
        QCOMPARE(harness_.run({"generate", "no-such-thing", "--prompt", "hi"}).code, 2);

        const auto output = (harness_.root() / "adapter").string();
        const auto exported =
            harness_.run({"export", "job", "--format", "peft", "--output", output, "--json"});
        QCOMPARE(exported.json()["job"]["output"].get<std::string>(), output);
        const auto gguf = harness_.run({"export", "job", "--format", "gguf", "--output", output, "--json"});
        QCOMPARE(gguf.code, 2);
        QVERIFY(gguf.output.empty());
        QVERIFY(gguf.errors.find("peft") != std::string::npos);

        const auto chat = harness_.run({"chat", model}, "hi\n\nthere\n");
        QCOMPARE(chat.code, 0);
        QCOMPARE(chat.output, std::string("hello\nhello\n"));
    }

    void anEngineThatDiesInAJobIsToldOf() {
        harness_.tellEngine("exit=1");
        const auto result = harness_.run(
            {"generate", ANNEAL_SOURCE_DIR "/tests/golden/data/tiny-llama", "--prompt", "hi", "--json"});
        QCOMPARE(result.code, 1);
        QVERIFY(result.output.empty());
        QVERIFY2(result.errors.find("told to end") != std::string::npos, result.errors.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCommandLine)
#include "test_command_line.moc"
