#include "core/base/system.h"
#include "core/protocol/serve.h"
#include "core/runfolder/run_status.h"
#include "core/schema/config_io.h"
#include "tests/run/run_harness.h"

#include <QElapsedTimer>
#include <QTest>
#include <deque>

using namespace anneal;
using namespace anneal::test;

namespace {

/// A client of `anneal serve --stdio`.
class Client {
public:
    explicit Client(const RunHarness& harness) : process_(harness.start({"serve", "--stdio"})) {
        hello_ = next([](const Json& message) { return message.contains("hello"); });
    }
    ~Client() { end(); }

    const Json& hello() const { return hello_; }

    std::int64_t send(const std::string& method, Json params = Json::object()) {
        write(dumpJson({{"id", ++lastId_}, {"method", method}, {"params", std::move(params)}}) + "\n");
        return lastId_;
    }
    Json answer(std::int64_t id) {
        return next([id](const Json& message) { return message.contains("id") && message["id"] == id; });
    }
    Json ask(const std::string& method, Json params = Json::object()) {
        return answer(send(method, std::move(params)));
    }
    Json notice(std::int64_t subscription, const std::string& name) {
        return next([&](const Json& m) {
            return m.value("subscription", -1) == subscription && m["notice"] == name;
        });
    }

    void write(const std::string& text) { process_->write(QByteArray::fromStdString(text)); }

    /// Closes its input; the exit code.
    int end() {
        process_->closeWriteChannel();
        process_->waitForFinished(20000);
        return process_->exitCode();
    }

    /// The first message that fits; others are kept for later.
    Json next(const std::function<bool(const Json&)>& fits) {
        QElapsedTimer timer;
        timer.start();
        do {
            for (auto message = messages_.begin(); message != messages_.end(); ++message)
                if (fits(*message)) {
                    Json found = *std::move(message);
                    messages_.erase(message);
                    return found;
                }
            read();
        } while (timer.elapsed() < 20000);
        return Json();
    }

private:
    void read() {
        if (process_->bytesAvailable() == 0)
            process_->waitForReadyRead(50);
        while (process_->canReadLine())
            if (auto json = parseJson(process_->readLine().toStdString(), "serve"))
                messages_.push_back(*std::move(json));
    }

    std::unique_ptr<QProcess> process_;
    std::deque<Json> messages_;
    Json hello_;
    std::int64_t lastId_ = 0;
};

} // namespace

class TestServe : public QObject {
    Q_OBJECT

private:
    RunHarness harness_;

    Json configOf(const std::string& extra = {}) {
        const auto loaded = loadConfig(harness_.writeConfig("serve.yaml", extra));
        return configToJson(loaded->config);
    }

private Q_SLOTS:
    void itGreetsAndSaysWhatItCan() {
        Client client(harness_);
        const auto& hello = client.hello()["hello"];
        QCOMPARE(hello["protocol"].get<int>(), protocolVersion);
        for (const char* method :
             {"machine",     "validate",    "detect",      "model",   "inspect",     "plan",
              "load_config", "save_config", "yaml",        "presets", "list",        "show",
              "start",       "stop",        "pause",       "resume",  "save",        "delete",
              "export",      "generate",    "checkpoints", "follow",  "follow_runs", "unfollow"}) {
            const auto& all = hello["capabilities"];
            QVERIFY2(std::find(all.begin(), all.end(), method) != all.end(), method);
        }
        const auto machine = client.ask("machine")["result"];
        QVERIFY(machine["cores"].get<int>() > 0);
        QVERIFY(machine["memory"].get<double>() > 0);
        QCOMPARE(client.end(), 0);
    }

    void errorsAreAnswers() {
        Client client(harness_);
        QCOMPARE(client.ask("dance")["error"]["kind"].get<std::string>(), std::string("invalid_input"));
        QVERIFY(client.ask("validate")["error"]["message"].get<std::string>().find("config") !=
                std::string::npos);
        const auto missing = client.ask("show", {{"run", "nobody"}})["error"];
        QVERIFY(missing["message"].get<std::string>().find("nobody") != std::string::npos);
        QVERIFY(!missing["fix"].get<std::string>().empty());
        QCOMPARE(client.end(), 0);
    }

    void aMalformedLineDisconnects() {
        for (const std::string line :
             {"hello there", "[1]", "{\"id\": \"x\", \"method\": \"list\"}", "{\"method\": \"list\"}",
              "{\"id\": 1, \"method\": \"list\", \"params\": 3}"}) {
            Client client(harness_);
            client.write(line + "\n");
            const auto error =
                client.next([](const Json& m) { return m.contains("error") && !m.contains("id"); });
            QVERIFY2(!error.is_null(), line.c_str());
            QCOMPARE(client.end(), 2);
        }
    }

    void configurationsAreReadCheckedAndWritten() {
        Client client(harness_);
        auto config = configOf();
        QVERIFY(client.ask("validate", {{"config", config}})["result"]["problems"].is_array());
        config["training"]["learning_rate"] = -1;
        const auto problems = client.ask("validate", {{"config", config}})["result"]["problems"];
        QCOMPARE(problems[0]["key"].get<std::string>(), std::string("training.learning_rate"));

        const auto path = (harness_.root() / "saved.yaml").string();
        config["training"]["learning_rate"] = 0.5;
        QVERIFY(client.ask("save_config", {{"path", path}, {"config", config}}).contains("result"));
        const auto loaded = client.ask("load_config", {{"path", path}})["result"];
        QCOMPARE(loaded["config"]["training"]["learning_rate"].get<double>(), 0.5);
        const auto yaml = client.ask("yaml", {{"config", config}})["result"];
        QVERIFY(yaml["yaml"].get<std::string>().find("learning_rate: 0.5") != std::string::npos);
        QVERIFY(yaml["command"].get<std::string>().starts_with("anneal run "));
        QVERIFY(!client.ask("presets")["result"]["presets"].empty());
    }

    void dataAndModelsAreLookedAt() {
        Client client(harness_);
        const auto data =
            client.ask("detect", {{"path", (harness_.root() / "train.jsonl").string()}})["result"];
        QCOMPARE(data["kind"].get<std::string>(), std::string("data"));
        const std::string model = ANNEAL_SOURCE_DIR "/tests/golden/data/tiny-llama";
        QCOMPARE(client.ask("detect", {{"path", model}})["result"]["kind"].get<std::string>(),
                 std::string("model"));
        const auto shape = client.ask("model", {{"path", model}})["result"];
        QCOMPARE(shape["family"].get<std::string>(), std::string("llama"));
        QVERIFY(shape["layers"].get<int>() > 0);
        const auto rows =
            client.ask("inspect", {{"config", configOf()}, {"first", 1}, {"count", 2}})["result"]["rows"];
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0]["source"]["line"].get<int>(), 2);
        QCOMPARE(rows[0]["tokens"].size(), rows[0]["input_ids"].size());
        const auto plan = client.ask("plan", {{"config", configOf()}})["result"];
        QVERIFY(plan["memory"]["per_gpu_bytes"].get<double>() > 0);
        QVERIFY(plan["time"]["steps"].get<double>() > 0);
    }

    void aRunIsStartedFollowedPausedAndStopped() {
        harness_.tellEngine("steps=10000,step_ms=20");
        Client client(harness_);
        const auto runs = client.ask("follow_runs")["result"]["subscription"].get<std::int64_t>();
        const auto started = client.ask("start", {{"config", configOf()}, {"name", "served"}})["result"];
        QCOMPARE(started["id"].get<std::string>(), std::string("served"));
        const auto id =
            client.ask("follow", {{"run", "served"}})["result"]["subscription"].get<std::int64_t>();
        const auto first = client.notice(id, "events");
        QVERIFY(first["params"]["replay"].get<bool>());
        std::int64_t seq = 0, steps = 0;
        for (auto notice = first; steps < 5 && !notice.is_null(); notice = client.notice(id, "events"))
            for (const auto& event : notice["params"]["events"]) {
                QCOMPARE(event["seq"].get<std::int64_t>(), ++seq);
                steps += event["type"] == "step";
            }
        QVERIFY(steps >= 5);
        QVERIFY(!client.notice(id, "telemetry").is_null());
        QVERIFY(!client.notice(id, "log").is_null());
        QVERIFY(!client.notice(runs, "runs").is_null());
        QVERIFY(client.ask("pause", {{"run", "served"}})["result"]["outcome"].get<std::string>().find(
                    "paused") != std::string::npos);
        const RunFolder folder(harness_.runs() / "served");
        QVERIFY(eventually([&] { return readState(folder)->status == RunStatus::Paused; }));
        QVERIFY(client.ask("resume", {{"run", "served"}}).contains("result"));
        QVERIFY(client.ask("delete", {{"run", "served"}}).contains("error"));
        QVERIFY(client.ask("stop", {{"run", "served"}}).contains("result"));
        QVERIFY(eventually([&] { return readState(folder)->exit_code.has_value(); }));
        const auto show = client.ask("show", {{"run", "served"}})["result"];
        QCOMPARE(show["status"].get<std::string>(), std::string("stopped"));
        QCOMPARE(show["config"]["data"]["max_length"].get<int>(), 64);
        const auto checkpoints = client.ask("checkpoints", {{"run", "served"}})["result"]["checkpoints"];
        QVERIFY(!checkpoints.empty());
        QVERIFY(client.ask("unfollow", {{"subscription", id}}).contains("result"));
        QVERIFY(client.ask("delete", {{"run", "served"}}).contains("result"));
        QVERIFY(!fs::exists(folder.path()));
    }

    void aRunOutlivesTheServer() {
        harness_.tellEngine("steps=40,step_ms=50");
        {
            Client client(harness_);
            QVERIFY(client.ask("start", {{"config", configOf()}, {"name", "outlives"}}).contains("result"));
            QCOMPARE(client.end(), 0);
        }
        const RunFolder folder(harness_.runs() / "outlives");
        QVERIFY(eventually([&] { return readState(folder)->status == RunStatus::Finished; }));
    }

    void jobsReportProgress() {
        harness_.tellEngine("");
        Client client(harness_);
        const std::string model = ANNEAL_SOURCE_DIR "/tests/golden/data/tiny-llama";
        const auto id =
            client.send("generate", {{"model", model}, {"prompt", "[hi]"}, {"max_new_tokens", 7}});
        const auto progress = client.notice(0, "progress")["params"];
        QCOMPARE(progress["request"].get<std::int64_t>(), id);
        QCOMPARE(progress["name"].get<std::string>(), std::string("loading model"));
        const auto result = client.answer(id)["result"];
        QCOMPARE(result["text"].get<std::string>(), std::string("an answer"));
        QCOMPARE(result["job"]["prompts"][0].get<std::string>(), std::string("[hi]"));
        QCOMPARE(result["job"]["max_new_tokens"].get<int>(), 7);
        QVERIFY(result["job"]["adapter"].is_null());
    }
};

QTEST_GUILESS_MAIN(TestServe)
#include "test_serve.moc"
