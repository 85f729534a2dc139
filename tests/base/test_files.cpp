#include "core/base/files.h"

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <sys/stat.h>
#include <thread>
#include <vector>

using namespace anneal;

class TestFiles : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    fs::path at(const char* name) const { return folder_.filePath(name).toStdString(); }

private Q_SLOTS:
    void readsWhatWasWritten() {
        const std::string content("a\0b\nc", 5);
        QVERIFY(writeFileAtomic(at("file"), content).ok());
        QCOMPARE(*readFile(at("file")), content);
        struct stat info {};
        QCOMPARE(::stat(at("file").c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777u, 0600u);
    }

    void errorsNameFileAndFix() {
        const auto missing = readFile(at("missing"));
        QVERIFY(!missing.ok() && missing.error().kind == ErrorKind::InvalidInput);
        QVERIFY(missing.error().message.find("missing") != std::string::npos && !missing.error().fix.empty());
        QVERIFY(readFile(folder_.path().toStdString()).error().message.find("is a folder") !=
                std::string::npos);
        QVERIFY(writeFileAtomic(at("big"), std::string(1000, 'x')).ok());
        QVERIFY(readFile(at("big"), 999).error().message.find("more than the limit") != std::string::npos);
        QVERIFY(!writeFileAtomic(at("no/such/folder/file"), "x").ok());
        QVERIFY(!MappedFile::open(at("missing")).ok());
    }

    void aReaderNeverSeesAPart() {
        const auto file = at("replaced");
        QVERIFY(writeFileAtomic(file, std::string(50000, 'a')).ok());
        std::atomic<bool> done{false};
        std::thread writer([&] {
            for (int i = 0; i < 100; ++i)
                if (!writeFileAtomic(file, std::string(50000, i % 2 ? 'a' : 'b')).ok())
                    break;
            done = true;
        });
        while (!done) {
            const auto text = readFile(file);
            const bool whole =
                text && text->size() == 50000 && text->find_first_not_of(text->front()) == std::string::npos;
            if (!whole)
                done = true;
            if (!whole) {
                writer.join();
                QFAIL("a torn file was read");
            }
        }
        writer.join();
        std::size_t entries = 0;
        for (const auto& entry : fs::directory_iterator(folder_.path().toStdString()))
            entries += entry.path().filename().string().starts_with(".replaced");
        QCOMPARE(entries, std::size_t{0});
    }

    void foldersArePrivate() {
        QVERIFY(makePrivateFolder(at("a/b/c")).ok());
        for (const auto* name : {"a", "a/b", "a/b/c"}) {
            struct stat info {};
            QCOMPARE(::stat(at(name).c_str(), &info), 0);
            QCOMPARE(info.st_mode & 0777u, 0700u);
        }
        QVERIFY(makePrivateFolder(at("a/b/c")).ok());
        QVERIFY(writeFileAtomic(at("plain"), "").ok());
        QVERIFY(!makePrivateFolder(at("plain/below")).ok());
        QVERIFY(*freeBytes(at("a/b/not/yet/there")) > 0);
    }

    void mapsTheWholeFile() {
        QVERIFY(writeFileAtomic(at("mapped"), "0123456789").ok());
        auto file = MappedFile::open(at("mapped"));
        QVERIFY(file.ok());
        const MappedFile moved = *std::move(file);
        QCOMPARE(std::string(moved.text()), std::string("0123456789"));
        moved.forget(0, 10);
        QCOMPARE(moved.text()[9], '9');
        QVERIFY(writeFileAtomic(at("nothing"), "").ok());
        QCOMPARE(MappedFile::open(at("nothing"))->size(), std::size_t{0});
    }

    void appendingEndsATornLine() {
        QVERIFY(writeFileAtomic(at("lines"), "{\"a\":1}\n{\"b\":").ok());
        auto appender = LineAppender::open(at("lines"));
        QVERIFY(appender.ok());
        QVERIFY(appender->append("{\"c\":3}").ok());
        QVERIFY(LineAppender::open(at("lines"))->append("{}").ok());
        QCOMPARE(*readFile(at("lines")), std::string("{\"a\":1}\n{\"b\":\n{\"c\":3}\n{}\n"));
    }

    void aLockKeepsOthersOut() {
        {
            auto lock = FileLock::tryLock(at("lock"));
            QVERIFY(lock.ok());
            QVERIFY(!FileLock::tryLock(at("lock")).ok());
            const FileLock moved = *std::move(lock);
            QVERIFY(!FileLock::tryLock(at("lock")).ok());
        }
        QVERIFY(FileLock::tryLock(at("lock")).ok());
        QVERIFY(FileLock::lock(at("lock")).ok());
    }

    void timesOfChange() {
        QVERIFY(writeFileAtomic(at("timed"), "x").ok());
        QVERIFY(modifiedSeconds(at("timed")) > 1.6e9);
        QCOMPARE(modifiedSeconds(at("missing")), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestFiles)
#include "test_files.moc"
