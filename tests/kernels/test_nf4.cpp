#include "core/base/json.h"
#include "core/kernels/nf4.h"
#include "tests/kernels/golden.h"

#include <QtTest>
#include <cmath>
#include <limits>

using namespace anneal;
using namespace anneal::kernels;
using anneal::test::Golden;

/// NF4 against bitsandbytes.
class TestNf4 : public QObject {
    Q_OBJECT

    struct Case {
        std::vector<std::int64_t> shape;
        std::vector<float> weight, absmax;
        std::vector<std::uint8_t> codes;
        std::vector<std::int64_t> zeroBlocks;
        std::int64_t columns() const { return shape.back(); }
        std::int64_t rows() const { return static_cast<std::int64_t>(weight.size()) / columns(); }
        Nf4Matrix matrix() const { return {rows(), columns(), codes, absmax, {}, {}, 0}; }
    };

    Golden golden_{"nf4.safetensors"};
    Json described_;

    Case quantized(const std::string& name) const {
        Case made;
        made.weight = golden_.floats(name + ".weight");
        made.shape = golden_.view(name + ".weight").shape;
        made.codes.resize((made.weight.size() + 1) / 2);
        made.absmax.resize((made.weight.size() + 63) / 64);
        made.zeroBlocks = described_["cases"][name]["zero_blocks"].get<std::vector<std::int64_t>>();
        if (!quantizeNf4(made.weight, made.codes.data(), made.absmax.data()))
            qFatal("not finite");
        return made;
    }
    void addCases() const {
        QTest::addColumn<QString>("name");
        for (const auto& [name, ignored] : described_["cases"].items())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }

private Q_SLOTS:
    void initTestCase() {
        auto read = readJsonFile(test::goldenFolder() / "nf4.json");
        QVERIFY(read.ok());
        described_ = *read;
    }

    void codesEqualReference_data() { addCases(); }
    void codesEqualReference() {
        QFETCH(QString, name);
        const auto made = quantized(name.toStdString());
        const auto expected = golden_.raw<std::uint8_t>(name.toStdString() + ".packed");
        QCOMPARE(made.codes.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto block = static_cast<std::int64_t>(i) / 32;
            if (std::ranges::find(made.zeroBlocks, block) != made.zeroBlocks.end())
                continue;
            const bool lastHalf = made.weight.size() % 2 == 1 && i + 1 == expected.size();
            QCOMPARE(made.codes[i] >> 4, expected[i] >> 4);
            if (!lastHalf)
                QCOMPARE(made.codes[i] & 15, expected[i] & 15);
        }
        QCOMPARE(made.absmax, golden_.floats(name.toStdString() + ".absmax"));
    }

    void dequantizedEqualsReference_data() { addCases(); }
    void dequantizedEqualsReference() {
        QFETCH(QString, name);
        const auto made = quantized(name.toStdString());
        std::vector<float> out(made.weight.size());
        dequantizeNf4(made.matrix(), out.data(), made.columns());
        QCOMPARE(out, golden_.floats(name.toStdString() + ".dequantized"));
    }

    void nestedCodesDequantizeBitwise_data() { addCases(); }
    void nestedCodesDequantizeBitwise() {
        QFETCH(QString, name);
        const auto key = name.toStdString() + ".nested.";
        const auto made = quantized(name.toStdString());
        const auto codes = golden_.raw<std::uint8_t>(key + "absmax_codes");
        const auto nested = golden_.floats(key + "absmax");
        const Nf4Matrix matrix{
            made.rows(), made.columns(), made.codes, {}, codes, nested, golden_.floats(key + "offset")[0]};
        std::vector<float> out(made.weight.size());
        dequantizeNf4(matrix, out.data(), made.columns());
        QCOMPARE(out, golden_.floats(key + "dequantized"));
    }

    void scaleCodesEqualReference_data() { addCases(); }
    void scaleCodesEqualReference() {
        QFETCH(QString, name);
        const auto key = name.toStdString() + ".nested.";
        const auto nested = quantizeScales(golden_.floats(name.toStdString() + ".absmax"));
        const auto offset = golden_.floats(key + "offset")[0];
        QVERIFY(std::abs(nested.offset - offset) <= 1e-6f * std::abs(offset));
        const auto largest = golden_.floats(key + "absmax");
        QCOMPARE(nested.absmax.size(), largest.size());
        const auto expected = golden_.raw<std::uint8_t>(key + "absmax_codes");
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (largest[i / nestedBlock] > 0) // equal scales: every code means the offset
                QCOMPARE(nested.codes[i], expected[i]);
    }

    void dynamicMapEqualsReference() {
        const auto expected = golden_.floats("dynamic_map");
        QVERIFY(std::ranges::equal(dynamicMap(), expected));
        QCOMPARE(dynamicMap()[127], 0.0f);
        QCOMPARE(dynamicMap()[255], 1.0f);
    }

    void bf16RowsAreRoundedFp32Rows() {
        const auto made = quantized("bf16_many_blocks");
        std::vector<float> full(made.weight.size());
        std::vector<Bf16> half(made.weight.size());
        dequantizeNf4(made.matrix(), full.data(), made.columns());
        dequantizeNf4(made.matrix(), half.data(), made.columns());
        for (std::size_t i = 0; i < full.size(); ++i)
            QCOMPARE(static_cast<int>(half[i]), static_cast<int>(toBf16(full[i])));
    }

    void stridedRowsLeaveTheRestAlone() {
        const auto made = quantized("bf16_64x128");
        std::vector<float> out(64 * 140, 7.0f), plain(64 * 128);
        dequantizeNf4(made.matrix(), 3, 5, out.data(), 140);
        dequantizeNf4(made.matrix(), 3, 5, plain.data(), 128);
        for (std::size_t row = 0; row < 5; ++row)
            for (std::size_t column = 0; column < 140; ++column)
                QCOMPARE(out[row * 140 + column], column < 128 ? plain[row * 128 + column] : 7.0f);
        QCOMPARE(out[5 * 140], 7.0f);
    }

    void valuesThatAreNotFiniteAreReported() {
        std::vector<std::uint8_t> codes(64);
        std::vector<float> absmax(2);
        for (const float bad :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
            for (const std::size_t at : {0u, 37u, 63u, 64u, 99u}) {
                std::vector<float> values(100, 0.5f);
                values[at] = bad;
                QVERIFY(!quantizeNf4(values, codes.data(), absmax.data()));
            }
        QVERIFY(quantizeNf4(std::vector<float>(100, 0.5f), codes.data(), absmax.data()));
    }

    void roundingToBf16IsNearestEven() {
        std::vector<float> values = {1.0f,   1.00390625f, 1.01171875f, -1.00390626f, 3e38f,
                                     1e-40f, 0.0f,        -0.0f,       65504.0f};
        auto rounded = values;
        roundToBf16(rounded);
        for (std::size_t i = 0; i < values.size(); ++i)
            QCOMPARE(rounded[i], toFloat(toBf16(values[i])));
        QCOMPARE(rounded[1], 1.0f);      // a tie goes to the even neighbour
        QCOMPARE(rounded[2], 1.015625f); // and here up
    }
};

QTEST_APPLESS_MAIN(TestNf4)
#include "test_nf4.moc"
