#include "core/data/row_format.h"

#include <QTest>

using namespace anneal;

namespace {

Json json(const char* text) { return Json::parse(text); }

std::string formatOf(const char* row) {
    const auto detected = detectFormat(json(row));
    return detected ? rowFormatName(detected->format) : "";
}

Result<ParsedRow> parsed(const char* row) {
    const auto value = json(row);
    return parseRow(value, detectFormat(value)->format);
}

std::string messagesOf(const char* row) {
    const auto result = parsed(row);
    return result ? dumpJson(result->messages) : "! " + result.error().message;
}

std::string faultOf(const char* row, RowFormat format) {
    const auto result = parseRow(json(row), format);
    return result ? std::string() : result.error().message;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

} // namespace

class TestRowFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formatsAreToldByTheirFields() {
        QCOMPARE(formatOf(R"({"instruction":"", "output":""})"), std::string("alpaca"));
        QCOMPARE(formatOf(R"({"prompt":"", "completion":""})"), std::string("prompt_completion"));
        QCOMPARE(formatOf(R"({"messages":[]})"), std::string("messages"));
        QCOMPARE(formatOf(R"({"conversations":[]})"), std::string("messages"));
        QCOMPARE(formatOf(R"({"context":"", "question":"", "answer":"", "source":""})"),
                 std::string("question_answer"));
        QCOMPARE(formatOf(R"({"text":""})"), std::string("text"));
        QCOMPARE(formatOf(R"({"input_ids":[], "labels":[]})"), std::string("token_ids"));
        QCOMPARE(formatOf(R"({"question":""})"), std::string());
        QCOMPARE(formatOf("[1]"), std::string());
        QCOMPARE(detectFormat(json(R"({"question":"", "answer":""})"))->reason,
                 std::string("fields \"question\" and \"answer\""));
    }

    void alpaca() {
        QCOMPARE(
            messagesOf(
                R"({"instruction":"Sum", "input":"1 2", "output":"3", "system":"S", "history":[["u","a"]]})"),
            std::string(
                R"([{"role":"system","content":"S"},{"role":"user","content":"u"},{"role":"assistant","content":"a"},)"
                R"({"role":"user","content":"Sum\n1 2"},{"role":"assistant","content":"3"}])"));
        QCOMPARE(messagesOf(R"({"instruction":"Hi", "input":"", "output":"3"})"),
                 std::string(R"([{"role":"user","content":"Hi"},{"role":"assistant","content":"3"}])"));
        QVERIFY(has(messagesOf(R"({"instruction":"Hi", "output":"3", "history":[["u"]]})"), "history"));
    }

    void questionsWithContext() {
        const auto row = parsed(R"({"context":"Text.", "question":"Q?", "answer":"A"})");
        QCOMPARE(row->messages[0]["content"].get<std::string>(),
                 std::string("Context:\nText.\n\nQuestion: Q?"));
        QCOMPARE(row->context, std::string("Text."));
        QCOMPARE(parsed(R"({"article":"T", "question":"Q?", "answer":"A"})")->context, std::string("T"));
        QCOMPARE(parsed(R"({"question":"Q?", "answer":"A"})")->messages[0]["content"].get<std::string>(),
                 std::string("Q?"));
    }

    void promptAndCompletion() {
        const auto plain = parsed(R"({"prompt":"P", "completion":"C"})");
        QVERIFY(plain->plain);
        const auto turns =
            parsed(R"({"prompt":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},
            {"role":"user","content":"c"}], "completion":[{"role":"assistant","content":"d"}]})");
        QCOMPARE(turns->messages.size(), std::size_t{4});
        QVERIFY((turns->ignored == std::vector<bool>{true, true, true, false}));
    }

    void shareGptRoles() {
        QCOMPARE(
            messagesOf(
                R"({"system":"S", "conversations":[{"from":"human","value":"u"},{"from":"gpt","value":"a"},
                     {"from":"observation","value":"o"},{"from":"gpt","value":"b"}]})"),
            std::string(
                R"([{"role":"system","content":"S"},{"role":"user","content":"u"},{"role":"assistant","content":"a"},)"
                R"({"role":"tool","content":"o"},{"role":"assistant","content":"b"}])"));
    }

    void openAiMessages() {
        const auto row = parsed(
            R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
            {"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":{"x":1}}}],"refusal":null},
            {"role":"tool","content":"1"},{"role":"assistant","content":"c","weight":0},{"role":"user","content":"d"},
            {"role":"assistant","content":"e"}], "tools":[{"name":"f"}]})");
        QVERIFY(row);
        QCOMPARE(row->messages[0]["content"].get<std::string>(), std::string("ab"));
        QVERIFY(!row->messages[1].contains("refusal")); // no null keys reach a template
        QCOMPARE(dumpJson(row->messages[1]["tool_calls"][0]["function"]["arguments"]),
                 std::string("{\"x\":1}"));
        QVERIFY(row->ignored[3]);
        QVERIFY(!row->ignored[5]);
        QCOMPARE(row->tools.size(), std::size_t{1});
    }

    void turnsOutOfOrderAreRefused() {
        QVERIFY(
            has(messagesOf(R"({"messages":[{"role":"assistant","content":"a"},{"role":"user","content":"b"},
            {"role":"assistant","content":"c"}]})"),
                "turn 1 is an assistant turn"));
        QVERIFY(
            has(messagesOf(R"({"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]})"),
                "second user turn"));
        QVERIFY(
            has(messagesOf(R"({"messages":[{"role":"user","content":"a"},{"role":"system","content":"b"}]})"),
                "may only come first"));
        QVERIFY(has(messagesOf(R"({"messages":[{"role":"narrator","content":"a"}]})"),
                    "unknown role \"narrator\""));
        QVERIFY(has(messagesOf(R"({"messages":[{"role":"user"}]})"), "messages[0] has no \"content\""));
        QVERIFY(has(messagesOf(R"({"messages":[{"role":"user","content":[{"type":"image_url"}]}]})"),
                    "not text"));
    }

    void missingFieldsAreNamed() {
        QVERIFY(has(faultOf(R"({"question":"q", "context":"c"})", RowFormat::QuestionAnswer),
                    "\"answer\" is missing; the row has \"question\", \"context\""));
        QVERIFY(has(faultOf(R"({"question":"q", "answer":null})", RowFormat::QuestionAnswer),
                    "\"answer\" is missing"));
        QVERIFY(has(faultOf(R"({"question":"q", "answer":42})", RowFormat::QuestionAnswer),
                    "\"answer\" is number, not a text"));
        QVERIFY(has(faultOf(R"({"a":1})", RowFormat::Messages), "\"messages\" is missing"));
        QVERIFY(has(faultOf("[]", RowFormat::Text), "not an object"));
        QVERIFY(has(faultOf(R"({"text":""})", RowFormat::Text), "empty"));
    }

    void tokenIds() {
        const auto row = parsed(
            R"({"input_ids":[5,6,7,0,0], "labels":[-100,6,7,-100,-100], "attention_mask":[1,1,1,0,0]})");
        QVERIFY((row->ids == std::vector<std::int32_t>{5, 6, 7}));
        QVERIFY((row->trained == std::vector<bool>{false, true, true}));
        QVERIFY(parsed(R"({"input_ids":[5,6], "labels":[9,6]})").ok()); // nothing predicts position 0
        QVERIFY(has(messagesOf(R"({"input_ids":[5,6], "labels":[-100,7]})"),
                    "label at position 1 is 7, but the token there is 6"));
        QVERIFY(has(messagesOf(R"({"input_ids":[5,6], "labels":[5]})"), "\"labels\" has 1 entries"));
        QVERIFY(has(messagesOf(R"({"input_ids":[5,"6"]})"), "list of whole numbers"));
        QVERIFY(has(messagesOf(R"({"input_ids":[5,-6]})"), "out of range"));
        QVERIFY(has(messagesOf(R"({"input_ids":[]})"), "empty"));
        QVERIFY(has(messagesOf(R"({"input_ids":[1,2,3], "attention_mask":[1,0,1]})"), "between others"));
    }
};

QTEST_GUILESS_MAIN(TestRowFormats)
#include "test_row_formats.moc"
