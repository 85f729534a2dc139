#include "core/data/prepare_with.h"
#include "tests/data/byte_tokenizer.h"
#include "tests/data/store_fixture.h"
#include "tests/data/templates.h"

#include <QTest>
#include <set>
#include <thread>

using namespace anneal;
using namespace anneal::test;

namespace {

const PrepareCallback silent = [](const PrepareProgress&) {};

std::string questions(int count, int perContext = 1) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += dumpJson({{"context", "Context " + std::to_string(i / perContext)},
                          {"question", "Question " + std::to_string(i) + "?"},
                          {"answer", "Answer " + std::to_string(i)}}) +
                "\n";
    return text;
}

std::string rowText(const TokenStore& store, std::size_t row) {
    std::string text;
    for (const auto token : store.row(row))
        text += ByteTokenizer().idToPiece(static_cast<std::int32_t>(tokenId(token)));
    return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

class TestPrepare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<TemporaryFolder>();
        qputenv("ANNEAL_CACHE_DIR", QByteArray::fromStdString(folder_->path() / "cache"));
        tools_ = {std::make_shared<ByteTokenizer>(), nullptr, chatml};
        tools_.chatTemplate = ChatTemplate::parse(chatml).value();
        config_ = RunConfig();
        config_.data.validation = "0";
        config_.hardware.threads = "3";
    }

    void rowsComeInTheOrderOfTheFiles() {
        train({folder_->file("a.jsonl", questions(1000)), folder_->file("b.jsonl", questions(3))});
        const auto data = prepare();
        QVERIFY(data);
        QCOMPARE(data->train.rows(), std::size_t{1003});
        QCOMPARE(data->validation.rows(), std::size_t{0});
        for (std::size_t row : {0, 1, 499, 999})
            QVERIFY(has(rowText(data->train, row), "Question " + std::to_string(row) + "?"));
        QVERIFY(has(rowText(data->train, 1000), "Question 0?"));
        QCOMPARE(data->train.sources().size(), std::size_t{2});
        QCOMPARE(data->train.sources()[0].end, std::uint64_t{1000});
        QCOMPARE(data->train.summary()["rows"].get<int>(), 1003);
        QCOMPARE(data->train.summary()["sources"][0]["format"].get<std::string>(),
                 std::string("question_answer"));
        QCOMPARE(data->train.fingerprint(), data->folder.filename().string());
    }

    void aSecondTimeOpensWhatIsThere() {
        train({folder_->file("a.jsonl", questions(10))});
        const auto first = prepare();
        QVERIFY(first);
        int calls = 0;
        const auto second = prepareDataWith(
            config_, tools_, [&](const PrepareProgress&) { ++calls; }, cancel_);
        QVERIFY(second);
        QCOMPARE(second->folder, first->folder);
        QCOMPARE(calls, 0);
        QVERIFY(openPreparedData(first->folder));
    }

    void whateverChangesTokensChangesTheFolder() {
        train({folder_->file("a.jsonl", questions(10))});
        std::set<fs::path> folders{prepare()->folder};
        const auto isNew = [&] { return folders.insert(prepare()->folder).second; };
        config_.data.max_length = 100;
        QVERIFY(isNew());
        config_.data.loss_on = "all";
        QVERIFY(isNew());
        config_.data.system_prompt = "s";
        QVERIFY(isNew());
        config_.data.validation = "0.2";
        QVERIFY(isNew());
        config_.training.seed = 1;
        QVERIFY(isNew());
        tools_.templateText += " ";
        QVERIFY(isNew());
        tools_.tokenizer = std::make_shared<ByteTokenizer>(std::vector<std::string>{"xyz"});
        QVERIFY(isNew());
        train({folder_->file("a.jsonl", questions(11))});
        QVERIFY(isNew());
        config_.data.shuffle = config_.data.packing = false;
        config_.data.train[0].weight = 2;
        config_.training.learning_rate = 1;
        QVERIFY(!isNew());
    }

    void whatAKilledPreparationLeftIsReplaced() {
        train({folder_->file("a.jsonl", questions(10))});
        const auto folder = prepare()->folder;
        const auto partial = folder.parent_path() / ("." + folder.filename().string() + ".partial");
        fs::rename(folder, partial); // as if it had died before the rename
        fs::resize_file(partial / "train" / "tokens.bin", 5);
        const auto again = prepare();
        QVERIFY(again);
        QCOMPARE(again->train.rows(), std::size_t{10});
        QVERIFY(!fs::exists(partial));
        fs::resize_file(folder / "train" / "tokens.bin", 5); // a store that broke later
        QVERIFY(prepare());
        QCOMPARE(openPreparedData(folder)->train.rows(), std::size_t{10});
    }

    void aShareIsHeldOutExactlyAndForGood() {
        train({folder_->file("a.jsonl", questions(200))});
        config_.data.validation = "0.05";
        const auto data = prepare();
        QCOMPARE(data->validation.rows(), std::size_t{10});
        QCOMPARE(data->train.rows(), std::size_t{190});
        std::set<std::string> rows;
        for (const auto* store : {&data->train, &data->validation})
            for (std::size_t row = 0; row < store->rows(); ++row)
                QVERIFY(rows.insert(rowText(*store, row)).second);
        QCOMPARE(rows.size(), std::size_t{200});
        QCOMPARE(data->train.sources()[0].end, std::uint64_t{190});
        const auto kept = rowText(data->validation, 0);
        fs::remove_all(data->folder);
        QCOMPARE(rowText(prepare()->validation, 0), kept);
        QVERIFY(!fs::exists(data->folder / "all"));
    }

    void rowsOfOneContextStayTogether() {
        train({folder_->file("a.jsonl", questions(200, 4))});
        config_.data.validation = "0.1";
        const auto data = prepare();
        std::set<std::string> contexts;
        for (std::size_t row = 0; row < data->validation.rows(); ++row) {
            const auto text = rowText(data->validation, row);
            contexts.insert(
                text.substr(text.find("Context "), text.find("\n\nQuestion") - text.find("Context ")));
        }
        QCOMPARE(data->validation.rows(), std::size_t{20});
        QCOMPARE(contexts.size(), std::size_t{5});
    }

    void equalRowsStayTogether() {
        std::string text;
        for (int i = 0; i < 50; ++i)
            text += dumpJson({{"text", "line " + std::to_string(i % 10)}}) + "\n";
        train({folder_->file("a.jsonl", text)});
        config_.data.validation = "0.3";
        const auto data = prepare();
        QCOMPARE(data->validation.rows(), std::size_t{15});
        std::set<std::string> held;
        for (std::size_t row = 0; row < data->validation.rows(); ++row)
            held.insert(rowText(data->validation, row));
        for (std::size_t row = 0; row < data->train.rows(); ++row)
            QVERIFY(!held.contains(rowText(data->train, row)));
    }

    void smallDataStillHasAValidationRow() {
        train({folder_->file("a.jsonl", questions(3))});
        config_.data.validation = "0.05";
        QCOMPARE(prepare()->validation.rows(), std::size_t{1});
        train({folder_->file("b.jsonl", questions(5, 5))}); // one context: rows part
        QCOMPARE(prepare()->validation.rows(), std::size_t{1});
        train({folder_->file("c.jsonl", questions(1))}); // nothing to hold out
        const auto one = prepare();
        QCOMPARE(one->train.rows(), std::size_t{1});
        QCOMPARE(one->validation.rows(), std::size_t{0});
    }

    void aValidationFile() {
        train({folder_->file("a.jsonl", questions(4))});
        config_.data.validation = folder_->file("v.jsonl", questions(2));
        const auto data = prepare();
        QCOMPARE(data->train.rows(), std::size_t{4});
        QCOMPARE(data->validation.rows(), std::size_t{2});
        config_.data.validation = folder_->file("empty.jsonl", "\n");
        QVERIFY(has(fault(), "empty.jsonl has no rows"));
    }

    void brokenRowsAreRejectedWithTheirLines() {
        const auto path = folder_->file("a.jsonl", questions(1) + "{broken\n" + R"({"question":"q"})" + "\n" +
                                                       questions(1));
        train({path});
        const auto data = prepare();
        QCOMPARE(data->train.rows(), std::size_t{2});
        const auto& rejected = data->train.summary()["rejected"];
        QCOMPARE(rejected.size(), std::size_t{2});
        QCOMPARE(rejected[0]["line"].get<int>(), 2);
        QCOMPARE(rejected[0]["file"].get<std::string>(), path);
        QVERIFY(has(rejected[0]["reason"], "Not valid JSON"));
        QCOMPARE(rejected[1]["line"].get<int>(), 3);
        QVERIFY(has(rejected[1]["reason"], "\"answer\" is missing"));
        QCOMPARE(data->train.summary()["rejected_rows"].get<int>(), 2);
    }

    void manyRejectedRowsAreCountedButNotAllListed() {
        std::string text = questions(1);
        for (int i = 0; i < 1500; ++i)
            text += "{broken\n";
        train({folder_->file("a.jsonl", text)});
        const auto data = prepare();
        QCOMPARE(data->train.summary()["rejected"].size(), std::size_t{1000});
        QCOMPARE(data->train.summary()["rejected_rows"].get<int>(), 1500);
    }

    void nothingLeftIsAnErrorWithItsCause() {
        train({folder_->file("empty.jsonl", "")});
        QVERIFY(has(fault(), "empty.jsonl has no rows"));
        train({folder_->file("a.jsonl", "not json\nat all\n")});
        QVERIFY(has(fault(), "a.jsonl, line 1: Not valid JSON"));
        train({folder_->file("b.jsonl", "{\"foo\":1,\"bar\":2}\n")});
        QVERIFY(has(fault(), "its rows have the fields foo, bar"));
        train({folder_->file("c.jsonl", "{\"foo\":1}\n")});
        config_.data.train[0].format = "question_answer";
        QVERIFY(has(fault(), "1 of 1 rows, 100 % are broken"));
        QVERIFY(has(fault(), "c.jsonl, line 1: The field \"question\" is missing"));
        train({"/nowhere/d.jsonl"});
        QVERIFY(has(fault(), "/nowhere/d.jsonl"));
        QVERIFY(!fs::exists(folder_->path() / "cache" / "tokens") || leftovers().empty());
    }

    void truncationOfEveryAnswerIsNamedWithItsShare() {
        train({folder_->file("a.jsonl", questions(7))});
        config_.data.max_length = 16;
        QVERIFY(has(fault(), "max_length = 16 cuts off every answer (7 of 7 rows, 100 %)"));
        const auto inspected = inspectDataWith(config_, tools_, 0, 10, cancel_);
        QVERIFY(!inspected);
        QCOMPARE(inspected.error().kind, ErrorKind::InvalidInput);
    }

    void everyLabelMasked() {
        train({folder_->file("a.jsonl", R"({"input_ids":[1,2],"labels":[-100,-100]})")});
        QVERIFY(has(fault(), "every label is masked (1 of 1 rows, 100 %)"));
    }

    void aFullDiskIsSaid() {
        train({folder_->file("a.jsonl", questions(10))});
        qputenv("ANNEAL_CACHE_DIR", "/dev/full/cache");
        QVERIFY(has(fault(ErrorKind::Failure), "/dev/full"));
        auto writer = BinaryWriter::create("/dev/full");
        QVERIFY(writer);
        const std::vector<std::byte> bytes(100);
        QVERIFY(writer->write(bytes));
        const auto status = writer->finish();
        QVERIFY(!status.ok());
        QVERIFY(has(status.error().text(), "No space left on device. Free disk space"));
    }

    void itCanBeStopped() {
        train({folder_->file("a.jsonl", questions(5000))});
        CancelToken cancel;
        cancel.cancel();
        const auto stopped = prepareDataWith(config_, tools_, silent, cancel);
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().kind, ErrorKind::Stopped);
        QVERIFY(leftovers().empty());
    }

    void processesTakeTurns() {
        train({folder_->file("a.jsonl", questions(500))});
        std::vector<std::thread> threads;
        std::vector<std::size_t> rows(4);
        for (auto& count : rows)
            threads.emplace_back([&] {
                const auto data = prepareDataWith(config_, tools_, silent, cancel_);
                count = data ? data->train.rows() : 0;
            });
        for (auto& thread : threads)
            thread.join();
        QVERIFY((rows == std::vector<std::size_t>{500, 500, 500, 500}));
    }

    void progressReachesTheEnd() {
        train({folder_->file("a.jsonl", questions(3000))});
        std::vector<PrepareProgress> all;
        QVERIFY(prepareDataWith(
            config_, tools_, [&](const PrepareProgress& p) { all.push_back(p); }, cancel_));
        QVERIFY(!all.empty());
        QCOMPARE(all.back().done, all.back().total);
        QVERIFY(std::ranges::is_sorted(all, {}, &PrepareProgress::done));
    }

    void inspectShowsRowsWithTheirMask() {
        const auto path = folder_->file("a.jsonl", questions(3) + "{broken\n" + questions(2));
        train({path});
        const auto inspection = inspectDataWith(config_, tools_, 3, 1, cancel_);
        QVERIFY(inspection);
        QCOMPARE(inspection->rows.size(), std::size_t{1});
        const auto json = toJson(*inspection);
        const auto& row = json["rows"][0];
        QCOMPARE(row["source"]["line"].get<int>(), 5);
        QCOMPARE(row["source"]["file"].get<std::string>(), path);
        QVERIFY(has(row["text"], "Question 0?"));
        QCOMPARE(row["input_ids"].size(), row["labels"].size());
        std::string learnedText;
        for (const auto& label : row["labels"])
            if (label != -100)
                learnedText += ByteTokenizer().idToPiece(label);
        QCOMPARE(learnedText, std::string("Answer 0<|im_end|>"));
        QCOMPARE(row["truncated_tokens"].get<int>(), 0);
        QCOMPARE(json["summary"]["rows"].get<int>(), 5);
        QCOMPARE(json["summary"]["rejected"][0]["line"].get<int>(), 4);
        QCOMPARE(json["summary"]["supervised_tokens"].get<int>(), 5 * 9);
    }

    void packedAndUnpackedRowsHaveTheSameLabels() {
        train({folder_->file("a.jsonl", questions(20))});
        const auto data = prepare();
        const auto inspection = inspectDataWith(config_, tools_, 0, 20, cancel_);
        for (std::size_t row = 0; row < 20; ++row) {
            const auto stored = data->train.row(row);
            const auto& labels = inspection->rows[row].labels;
            QCOMPARE(stored.size(), labels.size());
            for (std::size_t i = 0; i < labels.size(); ++i)
                QCOMPARE(isSupervised(stored[i]), labels[i] != -100);
        }
    }

    void otherFilesGiveTheSameRows() {
        const auto json = dumpJson({{"question", "Q?"}, {"answer", "A, \"b\""}});
        train({folder_->file("a.jsonl", json)});
        const auto expected = rowText(prepare()->train, 0);
        train({folder_->file("a.json", "[" + json + "]")});
        QCOMPARE(rowText(prepare()->train, 0), expected);
        train({folder_->file("a.csv", "question,answer\nQ?,\"A, \"\"b\"\"\"\n")});
        QCOMPARE(rowText(prepare()->train, 0), expected);
        train({folder_->file("a.txt", "Plain text.\n")});
        QCOMPARE(rowText(prepare()->train, 0), std::string("Plain text.\n<|im_end|>"));
    }

    void detectSaysWhatAFileHolds() {
        const auto json = detectData(folder_->file("a.jsonl", questions(3)));
        QVERIFY(json);
        QCOMPARE((*json)["format"].get<std::string>(), std::string("question_answer"));
        QCOMPARE(dumpJson((*json)["columns"]), std::string(R"(["context","question","answer"])"));
        QCOMPARE((*json)["rows"].get<int>(), 3);
        const auto unknown = detectData(folder_->file("b.csv", "x,y\n1,2\n"));
        QVERIFY(unknown);
        QVERIFY((*unknown)["format"].is_null());
        QVERIFY(has((*unknown)["reason"], "fields x, y"));
        QVERIFY(!detectData(folder_->file("c.jsonl", "")));
    }

    void promptsAreThoseOfTraining() {
        train({folder_->file("a.jsonl", dumpJson({{"prompt", "Why?"}, {"completion", "So."}}))});
        const auto row = inspectDataWith(config_, tools_, 0, 1, cancel_)->rows[0];
        const auto ids = encodePrompt(*tools_.tokenizer, tools_.chatTemplate.get(), config_.data, "Why?");
        QVERIFY(ids);
        QVERIFY(ids->size() < row.input_ids.size());
        QVERIFY(std::equal(ids->begin(), ids->end(), row.input_ids.begin()));
        const auto plain = encodePrompt(ByteTokenizer({}, true), nullptr, config_.data, "Why?");
        QCOMPARE(plain->front(), ByteTokenizer::bos);
        QCOMPARE(ByteTokenizer().decode(*plain, true), std::string("Why?"));
        QVERIFY(!encodePrompt(ByteTokenizer(), nullptr, config_.data, ""));
    }

    void evaluationRows() {
        const auto path = folder_->file("a.jsonl", questions(3));
        const auto rows = readEvaluationRowsWith(config_, tools_, path, 2);
        QVERIFY(rows);
        QCOMPARE(rows->size(), std::size_t{2});
        QCOMPARE((*rows)[1].reference, std::string("Answer 1"));
        QVERIFY((*rows)[1].prompt.ends_with("<|im_start|>assistant\n"));
        QCOMPARE(ByteTokenizer().decode((*rows)[1].prompt_ids, false), (*rows)[1].prompt);
        QVERIFY(!readEvaluationRowsWith(config_, tools_, folder_->file("t.txt", "text"), 0));
    }

private:
    void train(std::vector<std::string> paths) {
        config_.data.train.clear();
        for (auto& path : paths)
            config_.data.train.push_back({std::move(path), "auto", 1.0});
    }

    Result<PreparedData> prepare() { return prepareDataWith(config_, tools_, silent, cancel_); }

    std::string fault(ErrorKind kind = ErrorKind::InvalidInput) {
        const auto data = prepare();
        if (data || data.error().kind != kind)
            return "no error of this kind";
        return data.error().text();
    }

    /// Names of unfinished stores.
    std::vector<std::string> leftovers() {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_->path() / "cache" / "tokens"))
            if (entry.is_directory())
                names.push_back(entry.path().filename());
        return names;
    }

    std::unique_ptr<TemporaryFolder> folder_;
    DataTools tools_;
    RunConfig config_;
    CancelToken cancel_;
};

QTEST_GUILESS_MAIN(TestPrepare)
#include "test_prepare.moc"
