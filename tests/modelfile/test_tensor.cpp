#include "tests/modelfile/model_fixture.h"

#include <QTest>
#include <cmath>

using namespace anneal;
using namespace anneal::test;

namespace {

/// Blocks with bytes that look random; the signs and exponents of their scales stay finite.
std::string blocks(int blockBytes, std::vector<int> scaleHighBytes) {
    std::string bytes;
    for (std::int64_t i = 0; i < 64 * blockBytes; ++i) {
        auto byte = static_cast<unsigned>((i * i * 31 + i * 7 + 5) & 255);
        if (std::ranges::find(scaleHighBytes, i % blockBytes) != scaleHighBytes.end())
            byte &= 0xBF;
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

TensorView view(TensorType type, std::vector<std::int64_t> shape, std::string_view bytes) {
    TensorView tensor;
    tensor.name = "t";
    tensor.type = type;
    tensor.shape = std::move(shape);
    tensor.bytes = std::as_bytes(std::span(bytes));
    return tensor;
}

std::vector<float> allRows(const TensorView& tensor) {
    std::vector<float> out(static_cast<std::size_t>(tensor.elements()));
    const auto status = readRows(tensor, 0, tensor.rows(), out);
    return status.ok() ? out : std::vector<float>();
}

} // namespace

class TestTensor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The digests are of what gguf-py 0.19 makes of the same bytes.
    void quantizedBlocksMatchTheReferenceBitwise() {
        const auto zero = blocks(18, {1}), one = blocks(20, {1, 3}), eight = blocks(34, {1});
        QCOMPARE(sha1(allRows(view(TensorType::Q4_0, {1, 2048}, zero))),
                 "b70f91f97db2262e4cc2c9f804500603408c0d09");
        QCOMPARE(sha1(allRows(view(TensorType::Q4_1, {2, 1024}, one))),
                 "51ada841cc69fdbc5a46a936351a7c188d922fe9");
        QCOMPARE(sha1(allRows(view(TensorType::Q8_0, {64, 32}, eight))),
                 "93e4d361fe0a88884f7a2710a94497ca1bff41df");
    }

    void everyHalfConvertsExactly() {
        std::string bytes;
        for (std::uint32_t half = 0; half < 65536; ++half)
            if ((half & 0x7C00) != 0x7C00)
                append(bytes, static_cast<std::uint16_t>(half));
        const auto count = static_cast<std::int64_t>(bytes.size() / 2);
        QCOMPARE(count, 63488);
        QCOMPARE(sha1(allRows(view(TensorType::F16, {count}, bytes))),
                 "c1f0e98357ee0ced9c88cf0bf1921e83d3185398");
        std::string special;
        for (const std::uint16_t half : {0x7C00, 0xFC00, 0x7E00})
            append(special, half);
        const auto values = allRows(view(TensorType::F16, {3}, special));
        QCOMPARE(values[0], INFINITY);
        QCOMPARE(values[1], -INFINITY);
        QVERIFY(std::isnan(values[2]));
    }

    void plainTypesConvert() {
        std::string bf16, doubles, integers;
        append(bf16, std::uint16_t{0x3FC0});
        append(doubles, -2.5);
        append(integers, std::int64_t{-7});
        QCOMPARE(allRows(view(TensorType::BF16, {1}, bf16)), std::vector<float>{1.5f});
        QCOMPARE(allRows(view(TensorType::F64, {1}, doubles)), std::vector<float>{-2.5f});
        QCOMPARE(allRows(view(TensorType::I64, {1}, integers)), std::vector<float>{-7.0f});
        QCOMPARE(allRows(view(TensorType::I8, {2}, "\xFF\x02")), (std::vector<float>{-1, 2}));
        QCOMPARE(allRows(view(TensorType::U8, {2}, "\xFF\x02")), (std::vector<float>{255, 2}));
    }

    void anyRowsAreThoseOfTheWhole() {
        std::string bytes;
        for (int i = 0; i < 48; ++i)
            append(bytes, static_cast<float>(i));
        auto tensor = view(TensorType::F32, {16, 3}, bytes);
        for (const std::int64_t heads : {0, 2, 4}) {
            tensor.permutedHeads = heads;
            const auto whole = allRows(tensor);
            std::vector<float> part(6);
            QVERIFY(readRows(tensor, 5, 2, part).ok());
            QCOMPARE(part, std::vector<float>(whole.begin() + 15, whole.begin() + 21));
        }
    }

    void headsAreUnpermuted() {
        // Two heads of four rows; the file interleaves the halves of each: rows 0, 2, 1, 3 of a head.
        std::string bytes;
        for (const float row : {0, 2, 1, 3, 4, 6, 5, 7})
            append(bytes, row);
        auto matrix = view(TensorType::F32, {8, 1}, bytes);
        matrix.permutedHeads = 2;
        QCOMPARE(allRows(matrix), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
        auto bias = view(TensorType::F32, {8}, bytes);
        bias.permutedHeads = 2;
        QCOMPARE(allRows(bias), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
    }

    void rowsOutsideAreRefused() {
        std::string bytes(48, '\0');
        const auto tensor = view(TensorType::F32, {3, 4}, bytes);
        std::vector<float> out(64);
        QVERIFY(!readRows(tensor, 2, 2, out).ok());
        QVERIFY(!readRows(tensor, -1, 1, out).ok());
        QVERIFY(!readRows(tensor, 4, INT64_MAX, out).ok());
        out.resize(3);
        QVERIFY(!readRows(tensor, 0, 1, out).ok());
        out.resize(64);
        QVERIFY(!readRows(view(TensorType::F32, {4, 4}, bytes), 0, 1, out).ok());
    }
};

QTEST_GUILESS_MAIN(TestTensor)
#include "test_tensor.moc"
