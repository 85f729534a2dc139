#include "core/data/record_reader.h"
#include "tests/data/store_fixture.h"

#include <QTest>

using namespace anneal;
using namespace anneal::test;

namespace {

/// A record as read: its line, and its value or "! reason".
struct Read {
    std::int64_t line;
    std::string value;
    bool operator==(const Read&) const = default;
};

struct ReadFile {
    std::vector<Read> records;
    std::string error;
    FileKind kind = FileKind::Text;
};

ReadFile readAll(RecordReader& reader) {
    ReadFile file;
    file.kind = reader.kind();
    for (;;) {
        const auto record = reader.next();
        if (!record)
            file.error = record.error().message;
        if (!record || !*record)
            return file;
        const auto value = reader.parse(**record);
        file.records.push_back({(*record)->line, value ? dumpJson(*value) : "! " + value.error().message});
    }
}

ReadFile readAll(const std::string& name, std::string_view content) {
    TemporaryFolder folder;
    const auto reader = RecordReader::open(folder.file(name, content));
    if (!reader)
        return {{}, reader.error().message};
    return readAll(**reader);
}

} // namespace

class TestReaders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void jsonlKeepsPhysicalLines() {
        const auto file = readAll("a.jsonl", "\xEF\xBB\xBF{\"a\":1}\r\n\r\n  {\"a\":2}\n{\"a\":3}");
        QCOMPARE(file.kind, FileKind::Jsonl);
        QVERIFY((file.records == std::vector<Read>{{1, "{\"a\":1}"}, {3, "{\"a\":2}"}, {4, "{\"a\":3}"}}));
    }

    void oneBrokenLineCostsItself() {
        const auto file = readAll("a.jsonl", "{\"a\":1}\n{\"a\":\n{\"a\":3}\n");
        QCOMPARE(file.records.size(), std::size_t{3});
        QCOMPARE(file.records[1].line, std::int64_t{2});
        QVERIFY(file.records[1].value.starts_with("! Not valid JSON"));
        QCOMPARE(file.records[2].value, std::string("{\"a\":3}"));
    }

    void lineSeparatorsInsideStringsAreCharacters() {
        const auto file = readAll("a.jsonl", "{\"a\":\"x\xE2\x80\xA8y\xC2\x85z\"}\n{\"a\":\"b\"}\n");
        QCOMPARE(file.records.size(), std::size_t{2});
        QCOMPARE(file.records[0].value, std::string("{\"a\":\"x\xE2\x80\xA8y\xC2\x85z\"}"));
    }

    void badUtf8AndNotANumberAreRefused() {
        const auto file = readAll("a.jsonl", "{\"a\":\"\xFF\"}\n{\"a\":NaN}\n{\"a\":1}\n");
        QVERIFY(file.records[0].value.starts_with("! Not UTF-8"));
        QVERIFY(file.records[1].value.starts_with("! Not valid JSON"));
        QCOMPARE(file.records[2].value, std::string("{\"a\":1}"));
    }

    void deepNestingIsRefused() {
        const auto file = readAll("a.jsonl", std::string(100000, '[') + "\n{\"a\":1}\n");
        QVERIFY(file.error.empty());
        QVERIFY(file.records[0].value.starts_with("! "));
    }

    void jsonArraysGiveElementsWithTheirLines() {
        const auto file = readAll("a.json", "[\n {\"a\": \"]}\\\"\"},\n {\"a\":\n  2}, {\"a\": 3}\n]\n");
        QCOMPARE(file.kind, FileKind::Json);
        QVERIFY((file.records ==
                 std::vector<Read>{{2, "{\"a\":\"]}\\\"\"}"}, {3, "{\"a\":2}"}, {4, "{\"a\":3}"}}));
    }

    void aBrokenElementCostsItself() {
        const auto file = readAll("a.json", "[{\"a\":1},\n{\"a\" 2},\n{\"a\":3}]");
        QCOMPARE(file.records.size(), std::size_t{3});
        QCOMPARE(file.records[1].line, std::int64_t{2});
        QVERIFY(file.records[1].value.starts_with("! Not valid JSON"));
    }

    void anUnfinishedArrayIsAnErrorWithLineAndRecord() {
        const auto cut = readAll("a.json", "[{\"a\":1},\n{\"a\":2");
        QCOMPARE(cut.records.size(), std::size_t{1});
        QVERIFY(cut.error.find("line 2 (record 2)") != std::string::npos);
        QVERIFY(readAll("a.json", "[{\"a\":1},\n").error.find("ends inside the array") != std::string::npos);
    }

    void otherShapesOfJson() {
        QCOMPARE(readAll("a.json", "{\"a\":1}\n{\"a\":2}\n").kind, FileKind::Jsonl);
        const auto pretty = readAll("a.json", "{\n \"a\": 1\n}\n{\n \"a\": 2\n}\n");
        QVERIFY((pretty.records == std::vector<Read>{{1, "{\"a\":1}"}, {4, "{\"a\":2}"}}));
        QCOMPARE(readAll("a.jsonl", "[{\"a\":1}]").records[0].value, std::string("{\"a\":1}"));
        QCOMPARE(readAll("rows", "{\"a\":1}\n").kind, FileKind::Jsonl);
        QVERIFY(readAll("a.json", "[]").records.empty());
        QVERIFY(readAll("a.json", "[]").error.empty());
    }

    void csvQuotes() {
        const auto file = readAll("a.csv", "q,\"a b\"\r\n\"x, \"\"y\"\"\r\nz\",1\r\n\r\nplain \"p\",\n");
        QCOMPARE(file.kind, FileKind::Csv);
        QVERIFY((file.records == std::vector<Read>{{2, dumpJson({{"q", "x, \"y\"\r\nz"}, {"a b", "1"}})},
                                                   {5, dumpJson({{"q", "plain \"p\""}, {"a b", ""}})}}));
    }

    void csvFaults() {
        QVERIFY(readAll("a.csv", "a,b\n1\n2,3\n")
                    .records[0]
                    .value.starts_with("! The row has 1 fields where the header names 2"));
        QVERIFY(readAll("a.csv", "a,a\n1,2\n").error.find("twice") != std::string::npos);
        QVERIFY(readAll("a.csv", "a\n\"1\n2\n").error.find("line 2: a quoted field") != std::string::npos);
        QVERIFY(readAll("a.csv", "").records.empty());
    }

    void csvSeparators() {
        QCOMPARE(readAll("a.tsv", "a\tb\n1\t2\n").records[0].value, std::string(R"({"a":"1","b":"2"})"));
        QCOMPARE(readAll("a.csv", "a;b\n1;2,5\n").records[0].value, std::string(R"({"a":"1","b":"2,5"})"));
    }

    void aTextFileIsOneDocument() {
        const auto file = readAll("a.md", "\xEF\xBB\xBF# Title\r\n\r\nBody\n");
        QVERIFY((file.records == std::vector<Read>{{1, "{\"text\":\"# Title\\n\\nBody\\n\"}"}}));
        QVERIFY(readAll("a.txt", " \n\n").records.empty());
        QVERIFY(readAll("a.txt", "ok\nbad \xC3(\n").records[0].value.find("line 2") != std::string::npos);
    }

    void aLargeTextComesInPieces() {
        TemporaryFolder folder;
        std::string text;
        for (int i = 0; i < 100; ++i)
            text += "paragraph " + std::to_string(i) + "\n\n";
        auto mapped = MappedFile::open(folder.file("a.txt", text));
        QVERIFY(mapped);
        const auto reader = makeTextReader("a.txt", *std::move(mapped), 200);
        std::string joined;
        bool last = false;
        for (int i = 0;; ++i) {
            const auto record = reader->next();
            QVERIFY(record);
            if (!*record)
                break;
            QVERIFY(!last);
            QCOMPARE((*record)->first, i == 0);
            QVERIFY((*record)->bytes.size() <= 200);
            QVERIFY((*record)->bytes.ends_with("\n\n"));
            joined += (*record)->bytes;
            last = (*record)->last;
        }
        QVERIFY(last);
        QCOMPARE(joined, text);
    }

    void foreignFilesAreNamed() {
        QVERIFY(readAll("a.jsonl", "PAR1xxxx").error.find("Parquet") != std::string::npos);
        QVERIFY(readAll("a.json", "\xFF\xFE{").error.find("UTF-16") != std::string::npos);
        QVERIFY(readAll("a.txt", std::string("ab\0c", 4)).error.find("binary") != std::string::npos);
        QVERIFY(!RecordReader::open("/nowhere/a.jsonl"));
        QVERIFY(RecordReader::open("/tmp").error().message.find("folder") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestReaders)
#include "test_readers.moc"
