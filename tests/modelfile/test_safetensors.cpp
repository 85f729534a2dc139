#include "core/modelfile/safetensors.h"
#include "tests/modelfile/model_fixture.h"

#include <QTest>

using namespace anneal;
using namespace anneal::test;

namespace {

std::string withHeader(std::string_view header, std::string_view data = {}) {
    std::string file;
    append(file, static_cast<std::uint64_t>(header.size()));
    return file.append(header).append(data);
}

/// The message of opening such a file; empty when it opens.
std::string problemOf(const TemporaryFolder& folder, std::string_view bytes) {
    const auto file = SafetensorsFile::open(folder.file("x.safetensors", bytes));
    return file.ok() ? std::string() : file.error().text();
}

TensorToWrite toWrite(const std::string& name, TensorType type, std::vector<std::int64_t> shape,
                      std::string_view bytes) {
    return {name, type, std::move(shape), std::as_bytes(std::span(bytes))};
}

} // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writesWhatItReads() {
        TemporaryFolder folder;
        const std::string floats(24, 'f'), bytes = "xyz";
        const auto path = folder.path() / "a.safetensors";
        QVERIFY(writeSafetensors(path,
                                 {toWrite("z", TensorType::U8, {3}, bytes),
                                  toWrite("m", TensorType::F32, {2, 3}, floats),
                                  toWrite("empty", TensorType::BF16, {0, 4}, "")},
                                 {{"format", "pt"}, {"note", "\"quoted\"\n"}})
                    .ok());
        const auto file = SafetensorsFile::open(path);
        QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
        QCOMPARE((*file)->tensors().size(), std::size_t{3});
        QCOMPARE((*file)->metadata().at("note"), "\"quoted\"\n");
        const auto* m = (*file)->find("m");
        QVERIFY(m && m->type == TensorType::F32);
        QCOMPARE(m->shape, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(std::memcmp(m->bytes.data(), floats.data(), 24), 0);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(m->bytes.data()) % 8, std::uintptr_t{0});
        QCOMPARE((*file)->find("empty")->elements(), 0);
        QVERIFY(!(*file)->find("nothing"));
    }

    void readsTheReferenceFile() {
        const auto file =
            SafetensorsFile::open(fs::path(ANNEAL_SOURCE_DIR) / "tests/golden/data/nf4.safetensors");
        QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
        const auto* map = (*file)->find("dynamic_map");
        QVERIFY(map);
        std::vector<float> values(256);
        QVERIFY(readRows(*map, 0, 1, values).ok());
        QCOMPARE(values[127], 0.0f);
        QCOMPARE(values[255], 1.0f);
    }

    void writingLeavesTheOldFileWhenItFails() {
        TemporaryFolder folder;
        const auto path = folder.file("a.safetensors", "old");
        QVERIFY(!writeSafetensors(path, {toWrite("m", TensorType::F32, {7}, "short")}).ok());
        const std::byte byte{};
        // More than any disk holds: noticed before a byte of it is read.
        const TensorToWrite huge{
            "huge", TensorType::U8, {std::int64_t{1} << 60}, {&byte, std::size_t{1} << 60}};
        const auto status = writeSafetensors(path, {huge});
        QVERIFY(!status.ok());
        QVERIFY(status.error().text().find("free") != std::string::npos);
        QCOMPARE(*readFile(path), "old");
        QCOMPARE(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
    }

    void damagedFilesAreNamed_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const std::string& bytes, const char* said) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << said;
        };
        const auto one = [](const char* dtype, const char* shape, const char* offsets) {
            return "\"a\":{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":" + shape +
                   ",\"data_offsets\":" + offsets + "}";
        };
        const auto entry = [&](const char* dtype, const char* shape, const char* offsets) {
            return "{" + one(dtype, shape, offsets) + "}";
        };
        auto second = one("U8", "[2]", "[2,4]");
        second[1] = 'b';
        row("empty", "", "0 bytes");
        row("short", "1234", "4 bytes");
        row("pickle", "PK\x03\x04" + std::string(60, 'x'), "no safetensors file");
        row("header cut", withHeader(entry("F32", "[1]", "[0,4]"), "abcd").substr(0, 30),
            "truncated inside its header");
        row("data cut", withHeader(entry("F32", "[2]", "[0,8]"), "abcd"), "truncated: tensor a ends 4 bytes");
        row("not JSON", withHeader("{\"a\":"), "not valid JSON");
        row("no dtype", withHeader("{\"a\":{}}"), "lacks dtype");
        row("size", withHeader(entry("F32", "[2]", "[0,4]"), "abcd"), "its shape needs 8");
        row("negative", withHeader(entry("F32", "[-1]", "[0,4]"), "abcd"), "shape of tensor a is impossible");
        row("overflow", withHeader(entry("F32", "[4611686018427387904, 4]", "[0,0]")),
            "shape of tensor a is impossible");
        row("backward", withHeader(entry("F32", "[1]", "[4,0]"), "abcd"), "data_offsets of tensor a");
        row("type", withHeader(entry("F8_E4M3", "[4]", "[0,4]"), "abcd"), "stored as F8_E4M3");
        row("overlap", withHeader("{" + one("U8", "[3]", "[0,3]") + "," + second + "}", "abcd"),
            "tensors a and b overlap");
        row("twice",
            withHeader("{" + one("U8", "[2]", "[0,2]") + "," + one("U8", "[2]", "[2,4]") + "}", "abcd"),
            "lists tensor a twice");
        row("deep", withHeader("{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}"),
            "not valid JSON");
    }
    void damagedFilesAreNamed() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, said);
        TemporaryFolder folder;
        const auto problem = problemOf(folder, bytes.toStdString());
        QVERIFY2(problem.find(said.toStdString()) != std::string::npos, problem.c_str());
        QVERIFY2(problem.find("x.safetensors") != std::string::npos, problem.c_str());
    }

    void missingFileIsNamed() {
        const auto file = SafetensorsFile::open("/nonexistent/x.safetensors");
        QVERIFY(!file.ok());
        QVERIFY(file.error().kind == ErrorKind::InvalidInput);
    }

    void noCutOrFlippedByteCrashes() {
        TemporaryFolder folder;
        const auto good = *readFile(fs::path(ANNEAL_SOURCE_DIR) /
                                    "tests/golden/data/tiny-llama-tied/model-00001-of-00004.safetensors");
        QVERIFY(problemOf(folder, good).empty());
        for (std::size_t cut = 0; cut < good.size(); cut += 1 + cut / 20)
            QVERIFY(!problemOf(folder, good.substr(0, cut)).empty());
        std::size_t headerEnd = 0;
        std::memcpy(&headerEnd, good.data(), 8);
        for (std::size_t at = 0; at < headerEnd + 8; at += 5)
            for (const char flip : {'\x01', '\x80'}) {
                auto bad = good;
                bad[at] = static_cast<char>(bad[at] ^ flip);
                (void)problemOf(folder, bad); // either outcome is fine, as long as there is one
            }
    }
};

QTEST_GUILESS_MAIN(TestSafetensors)
#include "test_safetensors.moc"
