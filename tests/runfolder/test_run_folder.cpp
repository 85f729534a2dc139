#include "core/runfolder/registry.h"
#include "core/runfolder/tensorboard.h"
#include "core/runfolder/watcher.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace anneal;

namespace {

std::vector<std::int64_t> stepsOf(const std::vector<EventRecord>& records) {
    std::vector<std::int64_t> steps;
    for (const auto& record : records)
        if (const auto* step = std::get_if<StepEvent>(&record.event))
            steps.push_back(step->step);
    return steps;
}

StepEvent stepEvent(std::int64_t step) {
    StepEvent event;
    event.step = step;
    event.loss = 2.0 / static_cast<double>(step);
    return event;
}

void appendText(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

std::uint64_t littleEndian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

} // namespace

class TestRunFolder : public QObject {
    Q_OBJECT

private:
    QTemporaryDir directory_;
    int count_ = 0;

    RunFolder newFolder() {
        auto made =
            createRunFolder(fs::path(directory_.path().toStdString()) / std::to_string(count_++), "a", "");
        Q_ASSERT(made);
        return *made;
    }

    static void writeSteps(const RunFolder& folder, std::int64_t first, std::int64_t last) {
        auto writer = EventWriter::open(folder);
        QVERIFY(writer);
        for (auto step = first; step <= last; ++step)
            QVERIFY(writer->write(stepEvent(step)));
    }

private Q_SLOTS:
    void foldersArePrivate() {
        const auto folder = newFolder();
        for (const auto& path : {folder.path(), folder.control(), folder.checkpoints(), folder.logs()}) {
            struct stat info {};
            QCOMPARE(::stat(path.c_str(), &info), 0);
            QCOMPARE(info.st_mode & 0777, mode_t{0700});
        }
    }

    void sequenceGoesOnAfterATornLine() {
        const auto folder = newFolder();
        writeSteps(folder, 1, 3);
        appendText(folder.events(), "{\"t\": 1, \"seq\": 4, \"type\": \"st");
        writeSteps(folder, 4, 5);
        const auto events = readEvents(folder);
        QVERIFY(events);
        QCOMPARE(stepsOf(*events), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
        QCOMPARE(events->back().seq, 5);
        std::vector<std::int64_t> seqs;
        for (const auto& record : *events)
            seqs.push_back(record.seq);
        QCOMPARE(seqs, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    }

    void sequenceIsFoundBehindALongTail() {
        const auto folder = newFolder();
        writeSteps(folder, 1, 2);
        appendText(folder.events(), std::string(300'000, 'x'));
        auto writer = EventWriter::open(folder);
        QVERIFY(writer && writer->write(stepEvent(3)));
        QCOMPARE(readEvents(folder)->back().seq, 3);
    }

    void followerWaitsForTheEndOfALine() {
        const auto folder = newFolder();
        JsonlFollower follower(folder.events());
        QVERIFY(follower.poll().empty()); // no file yet
        appendText(folder.events(), "{\"a\": 1}\n{\"b\"");
        QCOMPARE(follower.poll().size(), std::size_t{1});
        QVERIFY(follower.poll().empty());
        appendText(folder.events(), ": 2}\nnot json\n[1]\n{\"c\": 3}\n");
        const auto records = follower.poll();
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(records[0]["b"].get<int>(), 2);
        QCOMPARE(records[1]["c"].get<int>(), 3);
    }

    void followerIsBoundedAndPassesOverEndlessLines() {
        const auto folder = newFolder();
        appendText(folder.events(), std::string(5000, 'x') + "\n{\"a\": 1}\n{\"a\": 2}\n");
        JsonlFollower follower(folder.events());
        std::size_t records = 0;
        for (auto got = follower.poll(1000); !got.empty(); got = follower.poll(1000))
            records += got.size();
        QCOMPARE(records, std::size_t{2});
    }

    void tailBeginsAtAWholeLine() {
        const auto folder = newFolder();
        for (int i = 0; i < 100; ++i)
            appendText(folder.telemetry(), "line " + std::to_string(i) + "\n");
        auto follower = LineFollower::fromTail(folder.telemetry(), 20);
        const auto lines = follower.poll();
        QCOMPARE(lines, (std::vector<std::string>{"line 98", "line 99"}));
    }

    void resumedHidesLaterSteps() {
        const auto folder = newFolder();
        writeSteps(folder, 1, 7);
        auto writer = EventWriter::open(folder);
        QVERIFY(writer && writer->write(ResumedEvent{5, "from step-00000005"}));
        QVERIFY(writer->write(stepEvent(6)));
        QVERIFY(writer->write(stepEvent(7)));
        QVERIFY(writer->write(ResumedEvent{3, "from step-00000003"}));
        QVERIFY(writer->write(stepEvent(4)));
        const auto events = readEvents(folder);
        QCOMPARE(stepsOf(*events), (std::vector<std::int64_t>{1, 2, 3, 4}));
        QCOMPARE(events->back().seq, 12); // hidden, not renumbered
    }

    void stateIsReplacedWholly() {
        const auto folder = newFolder();
        std::atomic<bool> done{false};
        RunState state;
        state.status = RunStatus::Running;
        QVERIFY(writeState(folder, state));
        std::thread writer([&] {
            for (int i = 0; i < 100; ++i) {
                state.reason.assign(static_cast<std::size_t>(i * 37 % 4000), 'r');
                state.step = static_cast<std::int64_t>(state.reason.size());
                (void)writeState(folder, state);
            }
            done = true;
        });
        bool whole = true;
        while (!done) {
            const auto read = readState(folder);
            whole = whole && read && read->step == static_cast<std::int64_t>(read->reason.size());
        }
        writer.join();
        QVERIFY(whole);
    }

    void commandsAreTakenInOrder() {
        const auto folder = newFolder();
        for (const char* command : {"pause", "resume", "stop"})
            QVERIFY(writeCommand(folder, command));
        appendText(folder.control() / "00000000000000000000-bad.json", "{torn");
        QVERIFY(!takeCommandNamed(folder, "save"));
        QVERIFY(takeCommandNamed(folder, "resume"));
        QCOMPARE(takeCommand(folder)->command, std::string("pause"));
        QCOMPARE(takeCommand(folder)->command, std::string("stop"));
        QVERIFY(!takeCommand(folder));
    }

    void manifestTellsWholeCheckpointsFromTornOnes() {
        const auto folder = newFolder();
        for (const std::int64_t step : {200, 100, 300}) {
            const auto checkpoint = folder.checkpoint(step);
            QVERIFY(makePrivateFolder(checkpoint));
            appendText(checkpoint / "adapter_model.safetensors", "weights " + std::to_string(step));
            if (step != 300)
                QVERIFY(writeManifest(checkpoint));
        }
        QCOMPARE(folder.checkpoint(200).filename().string(), std::string("step-00000200"));
        const auto found = listCheckpoints(folder, true);
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].step, 100);
        QCOMPARE(found[1].bytes, 11);

        std::ofstream(found[1].path / "adapter_model.safetensors", std::ios::binary)
            << "weights 2o0"; // same size
        QCOMPARE(listCheckpoints(folder, false).size(), std::size_t{2});
        QCOMPARE(listCheckpoints(folder, true).size(), std::size_t{1});
        appendText(found[0].path / "adapter_model.safetensors", "more");
        QVERIFY(verifyManifest(found[0].path, false).error().message.find("bytes") != std::string::npos);
        QVERIFY(listCheckpoints(folder, false).size() == 1);
    }

    void manifestMayNotNameFilesOutside() {
        const auto folder = newFolder();
        QVERIFY(makePrivateFolder(folder.checkpoint(1)));
        appendText(folder.checkpoint(1) / "manifest.json",
                   "{\"files\": [{\"name\": \"../../run.yaml\", \"bytes\": 0, \"xxh3\": \"\"}]}");
        appendText(folder.config(), "");
        QVERIFY(!verifyManifest(folder.checkpoint(1), false));
    }

    void runsAreFoundByPrefixAndPath() {
        const fs::path runs = fs::path(directory_.path().toStdString()) / "runs";
        QVERIFY(listRuns(runs).empty());
        double created = 100;
        for (const char* id : {"legal-a", "legal-b", "other"}) {
            const auto folder = createRunFolder(runs, id, "");
            QVERIFY(folder);
            RunState state;
            state.created = created++;
            QVERIFY(writeState(*folder, state));
        }
        QVERIFY(makePrivateFolder(runs / "no-run"));
        QCOMPARE(listRuns(runs).size(), std::size_t{3});
        QCOMPARE(resolveRun("last", runs)->id(), std::string("other"));
        QCOMPARE(resolveRun("legal-a", runs)->id(), std::string("legal-a"));
        QCOMPARE(resolveRun("oth", runs)->id(), std::string("other"));
        QCOMPARE(resolveRun((runs / "legal-b/").string(), "/nowhere")->id(), std::string("legal-b"));
        const auto two = resolveRun("legal", runs);
        QVERIFY(!two && two.error().kind == ErrorKind::InvalidInput);
        QVERIFY(two.error().message.find("legal-a") != std::string::npos);
        QVERIFY(resolveRun("othre", runs).error().fix.find("'other'") != std::string::npos);
        QVERIFY(!resolveRun("no-run", runs));
    }

    void idsAreSafeAndUnique() {
        const fs::path runs = fs::path(directory_.path().toStdString()) / "ids";
        QCOMPARE(sanitizedRunName("  Legal QA / v2: ../x "), std::string("Legal-QA-v2-..-x"));
        QCOMPARE(sanitizedRunName("../.."), std::string());
        QCOMPARE(sanitizedRunName("日本"), std::string());
        for (const char* bad : {"", "..", "a/b", "last", "-x", "a b"})
            QVERIFY2(!createRunFolder(runs, bad, ""), bad);
        QVERIFY(createRunFolder(runs, "a", ""));
        const auto again = createRunFolder(runs, "a", "");
        QVERIFY(!again && again.error().kind == ErrorKind::InvalidInput);
        const auto first = createRunFolder(runs, std::nullopt, "my run"),
                   second = createRunFolder(runs, std::nullopt, "my run");
        QVERIFY(first && second);
        QVERIFY(first->id() != second->id());
        QVERIFY(first->id().starts_with("my-run-"));
    }

    void tensorBoardRecordsAreFramed() {
        QCOMPARE(crc32c("123456789"), 0xE3069283u);
        const fs::path folder = fs::path(directory_.path().toStdString()) / "tensorboard";
        {
            auto writer = TensorBoardWriter::open(folder);
            QVERIFY(writer);
            writer->scalar("train/loss", 1.5, 300);
        }
        const auto bytes = readFile(fs::directory_iterator(folder)->path());
        QVERIFY(bytes);
        std::vector<std::string_view> payloads;
        for (std::string_view rest = *bytes; !rest.empty();) {
            const auto length = littleEndian(rest.substr(0, 8));
            const auto unmask = [](std::uint64_t value) {
                const auto rotated = static_cast<std::uint32_t>(value) - 0xa282ead8u;
                return (rotated >> 17) | (rotated << 15);
            };
            QCOMPARE(unmask(littleEndian(rest.substr(8, 4))), crc32c(rest.substr(0, 8)));
            payloads.push_back(rest.substr(12, length));
            QCOMPARE(unmask(littleEndian(rest.substr(12 + length, 4))), crc32c(payloads.back()));
            rest.remove_prefix(16 + length);
        }
        QCOMPARE(payloads.size(), std::size_t{2});
        QVERIFY(payloads[0].ends_with("brain.Event:2"));
        const std::string expected("\x10\xac\x02\x2a\x13\x0a\x11\x0a\x0atrain/loss\x15\x00\x00\xc0\x3f", 24);
        QCOMPARE(std::string(payloads[1].substr(9)), expected);
    }

    void watcherSeesChangesAndWakes() {
        const auto folder = newFolder();
        FolderWatcher watcher;
        watcher.add(folder.path());
        QVERIFY(!watcher.wait(std::chrono::milliseconds(10)));
        appendText(folder.events(), "x");
        QVERIFY(watcher.wait(std::chrono::milliseconds(2000)));
        watcher.wake();
        QElapsedTimer timer;
        timer.start();
        (void)watcher.wait(std::chrono::milliseconds(5000));
        QVERIFY(timer.elapsed() < 4000);
    }
};

QTEST_GUILESS_MAIN(TestRunFolder)
#include "test_run_folder.moc"
