#include "ui/client/latest_request.h"
#include "ui/client/serve_client.h"
#include "ui/client/text.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>

using namespace anneal;

class TestServeClient : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { qunsetenv("FAKE_SERVE"); }
    void answers();
    void errorsCarryTheirFix();
    void waitingRequestsAreSentWhenItIsReady();
    void dropsAnswersOfDestroyedContexts();
    void subscriptionReplaysAfterCrash();
    void survivesMalformedLine();
    void survivesEndlessLine();
    void drainsStandardError();
    void refusesNewerProtocol();
    void missingProgramIsAFailure();
    void newestOfManyRequestsCounts();
    void remoteCommandIsNoShellOfOurs();

private:
    ServeCommand fake() const { return {ANNEAL_FAKE_SERVE, {}, {}, {}}; }
};

/// Asks and waits for the answer.
static std::optional<Result<Json>> ask(ServeClient& client, const std::string& method,
                                       Json params = Json::object()) {
    std::optional<Result<Json>> got;
    QObject context;
    client.request(method, std::move(params), &context,
                   [&](Result<Json> result) { got = std::move(result); });
    if (!QTest::qWaitFor([&] { return got.has_value(); }, 10'000))
        return std::nullopt;
    return got;
}

void TestServeClient::answers() {
    ServeClient client;
    client.start(fake());
    const auto machine = ask(client, "machine");
    QVERIFY(machine && machine->ok());
    QCOMPARE((*machine)->value("host", std::string()), std::string("test-box"));
    QCOMPARE(client.state(), ServeClient::State::Ready);
}

void TestServeClient::errorsCarryTheirFix() {
    ServeClient client;
    client.start(fake());
    const auto result = ask(client, "load_config", {{"path", "missing.yaml"}});
    QVERIFY(result && !result->ok());
    QCOMPARE(result->error().fix, std::string("Check the path."));
    QCOMPARE(result->error().kind, ErrorKind::InvalidInput);
}

void TestServeClient::waitingRequestsAreSentWhenItIsReady() {
    ServeClient client;
    int answers = 0;
    for (int i = 0; i < 3; ++i)
        client.request("machine", Json::object(), this, [&](Result<Json> result) { answers += result.ok(); });
    QTest::qWait(50);
    QCOMPARE(answers, 0);
    client.start(fake());
    QTRY_COMPARE(answers, 3);
}

void TestServeClient::dropsAnswersOfDestroyedContexts() {
    ServeClient client;
    client.start(fake());
    bool called = false;
    {
        QObject context;
        client.request("machine", Json::object(), &context, [&](Result<Json>) { called = true; });
    }
    QVERIFY(ask(client, "machine").has_value());
    QVERIFY(!called);
}

void TestServeClient::subscriptionReplaysAfterCrash() {
    ServeClient client;
    int opened = 0, eventNotices = 0;
    const auto subscription =
        client.subscribe("follow", {{"run", "legal-qa"}},
                         {[&] { ++opened; },
                          [&](const std::string& notice, const Json&) { eventNotices += notice == "events"; },
                          {}});
    client.start(fake());
    QTRY_COMPARE(eventNotices, 1);
    const auto crashed = ask(client, "crash");
    QVERIFY(crashed && !crashed->ok());
    QCOMPARE(client.state(), ServeClient::State::Waiting);
    QVERIFY(!client.problem().isEmpty());
    QTRY_COMPARE(eventNotices, 2);
    QCOMPARE(opened, 2);
    QCOMPARE(client.state(), ServeClient::State::Ready);
}

void TestServeClient::survivesMalformedLine() {
    ServeClient client;
    qputenv("FAKE_SERVE", "malformed");
    client.start(fake());
    const auto broken = ask(client, "machine");
    QVERIFY(broken && !broken->ok());
    QVERIFY(toQt(broken->error().message).contains("not a JSON object"));
    qunsetenv("FAKE_SERVE"); // the next process behaves
    const auto fine = ask(client, "machine");
    QVERIFY(fine && fine->ok());
}

void TestServeClient::survivesEndlessLine() {
    ServeClient client;
    qputenv("FAKE_SERVE", "endless");
    client.start(fake());
    const auto broken = ask(client, "machine");
    QVERIFY(broken && !broken->ok());
    QVERIFY(toQt(broken->error().message).contains("longer than"));
    qunsetenv("FAKE_SERVE");
    const auto fine = ask(client, "machine");
    QVERIFY(fine && fine->ok());
}

void TestServeClient::drainsStandardError() {
    ServeClient client;
    qputenv("FAKE_SERVE", "chatty");
    client.start(fake());
    const auto result = ask(client, "machine");
    QVERIFY(result && result->ok());
    QTRY_COMPARE(client.diagnostics().value(client.diagnostics().size() - 1), QString("complaint 99999"));
    QVERIFY(client.diagnostics().size() <= 200);
}

void TestServeClient::refusesNewerProtocol() {
    ServeClient client;
    qputenv("FAKE_SERVE", "newer");
    client.start(fake());
    const auto result = ask(client, "machine");
    QVERIFY(result && !result->ok());
    QCOMPARE(client.state(), ServeClient::State::Failed);
    QVERIFY(client.problem().contains("same version"));
}

void TestServeClient::missingProgramIsAFailure() {
    ServeClient client;
    client.start({"/nonexistent/anneal", {}, {}, {}});
    const auto result = ask(client, "machine");
    QVERIFY(result && !result->ok());
    QCOMPARE(client.state(), ServeClient::State::Failed);
    QVERIFY(client.problem().contains("/nonexistent/anneal"));
    client.start(fake());
    const auto fine = ask(client, "machine");
    QVERIFY(fine && fine->ok());
}

void TestServeClient::newestOfManyRequestsCounts() {
    ServeClient client;
    client.start(fake());
    QStringList answers;
    LatestRequest latest(client, "generate", [&](Result<Json> result) {
        QVERIFY(result.ok());
        answers.append(toQt(result->value("prompt", std::string())));
    });
    for (const char* prompt : {"a", "b", "c"})
        latest.send({{"prompt", prompt}});
    QVERIFY(latest.busy());
    QTRY_VERIFY(!latest.busy());
    QCOMPARE(answers, QStringList{"c"});
    latest.send({{"prompt", "d"}});
    latest.cancel();
    QVERIFY(ask(client, "machine").has_value());
    QCOMPARE(answers, QStringList{"c"});
}

void TestServeClient::remoteCommandIsNoShellOfOurs() {
    const auto plain = remoteServe("me@gpu-box", {});
    QVERIFY(plain.ok());
    QCOMPARE(plain->program, QString("ssh"));
    QCOMPARE(plain->arguments.mid(plain->arguments.size() - 5),
             (QStringList{"--", "me@gpu-box", "anneal", "serve", "--stdio"}));
    const auto folder = remoteServe("gpu-box", "/data/it's mine");
    QVERIFY(folder.ok() && folder->arguments.contains("'ANNEAL_RUNS_DIR=/data/it'\\''s mine'"));
    for (const char* bad : {"-oProxyCommand=evil", "a b", "a;b", "", "$(x)"})
        QVERIFY(!remoteServe(bad, {}).ok());
}

QTEST_GUILESS_MAIN(TestServeClient)
#include "test_serve_client.moc"
