#include "core/protocol/events.h"
#include "core/protocol/serve.h"
#include "core/protocol/state.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>

using namespace anneal;

namespace {

/// A value of each type that a default-constructed record does not have.
void fill(std::string& value, int n) { value = "text \"" + std::to_string(n) + "\"\n"; }
void fill(bool& value, int) { value = !value; }
void fill(double& value, int n) { value = n + 0.1; }
void fill(Json& value, int n) { value = Json{{"f1", n}}; }
void fill(RunStatus& value, int) { value = RunStatus::Stopping; }
template <std::integral T>
requires(!std::same_as<T, bool>) void fill(T& value, int n) { value = static_cast<T>(n + 40); }
template <Record T>
void fill(T& record, int n);
template <class T>
void fill(std::optional<T>& value, int n) {
    fill(value.emplace(), n);
}
template <class T>
void fill(std::vector<T>& values, int n) {
    fill(values.emplace_back(), n);
    fill(values.emplace_back(), n + 1);
}
template <Record T>
void fill(T& record, int n) {
    std::apply([&](const auto&... field) { (fill(record.*(field.member), ++n), ...); }, T::fields());
}

template <Record T>
void checkRoundTrip() {
    T record;
    const Json before = toJson(record);
    fill(record, 0);
    const Json json = toJson(record);
    for (const auto& [name, value] : json.items())
        QVERIFY2(value != before[name], name.c_str());
    T again;
    QVERIFY(fromJson(Json::parse(dumpJson(json)), again));
    QCOMPARE(dumpJson(toJson(again)), dumpJson(json));
    T partial;
    QVERIFY2(fromJson(Json{{"a field of the future", 1}}, partial), "unknown fields are ignored");
    QCOMPARE(dumpJson(toJson(partial)), dumpJson(before));
}

template <std::size_t... I>
void checkEveryEvent(std::index_sequence<I...>) {
    (checkRoundTrip<std::variant_alternative_t<I, Event>>(), ...);
}

std::vector<std::string> sampleLines() {
    const auto text = readFile(ANNEAL_SOURCE_DIR "/tests/protocol/messages-v1.jsonl");
    std::vector<std::string> lines;
    std::istringstream stream(text ? *text : std::string());
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

} // namespace

class TestEvents : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEventSurvivesItsCodec() {
        checkEveryEvent(std::make_index_sequence<std::variant_size_v<Event>>());
    }

    void everyOtherRecordSurvivesItsCodec() {
        checkRoundTrip<RunState>();
        checkRoundTrip<RunSummary>();
        checkRoundTrip<TelemetrySample>();
        checkRoundTrip<Request>();
        checkRoundTrip<Notice>();
    }

    void sampleLinesStayReadable() {
        std::set<std::string> types;
        for (const auto& line : sampleLines()) {
            const auto record = eventFromJson(Json::parse(line));
            QVERIFY2(record.has_value(), line.c_str());
            QCOMPARE(dumpJson(toJson(*record)), line);
            types.insert(eventType(record->event));
        }
        QCOMPARE(types.size(), std::variant_size_v<Event>);
    }

    void envelopeComesFirst() {
        const auto json = toJson(EventRecord{2.5, 7, WarningEvent{3, "a", "b"}});
        QCOMPARE(dumpJson(json),
                 std::string(R"({"t":2.5,"seq":7,"type":"warning","step":3,"text":"a","fix":"b"})"));
    }

    void nonFiniteLossIsText() {
        StepEvent step;
        step.loss = std::numeric_limits<double>::quiet_NaN();
        step.grad_norm = -std::numeric_limits<double>::infinity();
        const auto json = toJson(EventRecord{0, 1, step});
        QCOMPARE(json["loss"].get<std::string>(), std::string("NaN"));
        QCOMPARE(json["grad_norm"].get<std::string>(), std::string("-Infinity"));
        QVERIFY(std::isnan(std::get<StepEvent>(eventFromJson(json)->event).loss));
    }

    void refusesWhatIsNoEvent_data() {
        QTest::addColumn<QString>("line");
        QTest::newRow("array") << "[1]";
        QTest::newRow("no type") << R"({"t":1,"seq":1})";
        QTest::newRow("type is a number") << R"({"type":1})";
        QTest::newRow("unknown type") << R"({"type":"telepathy"})";
        QTest::newRow("text for a number") << R"({"type":"step","step":"one"})";
        QTest::newRow("fraction for a count") << R"({"type":"step","step":1.5})";
        QTest::newRow("too large for its field") << R"({"type":"started","protocol":5000000000})";
        QTest::newRow("seq is text") << R"({"type":"resumed","seq":"x"})";
    }
    void refusesWhatIsNoEvent() {
        QFETCH(QString, line);
        QVERIFY(!eventFromJson(Json::parse(line.toStdString())));
    }

    void statusNamesAreInverse() {
        for (int i = 0; i <= static_cast<int>(RunStatus::Interrupted); ++i) {
            const auto status = static_cast<RunStatus>(i);
            QCOMPARE(statusFromName(statusName(status)), std::optional(status));
        }
        QVERIFY(!statusFromName("Running"));
        QVERIFY(isActive(RunStatus::Paused) && !isActive(RunStatus::Queued) &&
                !isActive(RunStatus::Interrupted));
        RunState state;
        QVERIFY(!fromJson(Json{{"status", "asleep"}}, state));
    }

    void answersCarryResultOrError() {
        QCOMPARE(dumpJson(answerJson(7, Json{{"rows", 3}})), std::string(R"({"id":7,"result":{"rows":3}})"));
        const auto error = answerJson(8, invalidInput("No file.", "Check the path."))["error"];
        QCOMPARE(dumpJson(error),
                 std::string(R"({"message":"No file.","fix":"Check the path.","kind":"invalid_input"})"));
        const auto again = errorFromJson(error);
        QCOMPARE(again.text(), std::string("No file. Check the path."));
        QVERIFY(again.kind == ErrorKind::InvalidInput);
        QVERIFY(!errorFromJson(Json(3)).message.empty());
    }
};

QTEST_APPLESS_MAIN(TestEvents)
#include "test_events.moc"
