#include "core/base/random.h"
#include "core/kernels/lora.h"

#include <QtTest>
#include <cmath>
#include <vector>

using namespace anneal;
using namespace anneal::kernels;
using Floats = std::vector<float>;

namespace {

Floats random(std::int64_t count, std::uint64_t stream) {
    Floats values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(2 * randomUniform(77, i, stream) - 1);
    return values;
}

/// Rows that belong to two documents.
struct Rows {
    std::vector<std::uint64_t> keys = {dropoutKey(1, 2, 3, 4), dropoutKey(1, 2, 9, 4)};
    std::vector<std::int32_t> documents;
    std::vector<std::int64_t> positions;
    DropoutMask mask;

    Rows(std::int64_t count, double probability) {
        for (std::int64_t row = 0; row < count; ++row) {
            documents.push_back(row < count / 2 ? 0 : 1);
            positions.push_back(row < count / 2 ? row : row - count / 2);
        }
        mask = {keys, documents.data(), positions.data(), DropoutMask::thresholdFor(probability)};
    }
};

/// The factor of one element by the plain generator.
float factor(const DropoutMask& mask, std::int64_t row, std::int64_t feature) {
    const auto group = static_cast<std::uint32_t>(feature / 128),
               k = static_cast<std::uint32_t>(feature % 128 / 16);
    const auto words = philox(mask.documentKeys[static_cast<std::size_t>(mask.documentOfRow[row])],
                              {group * 16 + static_cast<std::uint32_t>(feature % 16),
                               static_cast<std::uint32_t>(mask.positions[row]), 0, 0});
    const std::uint32_t bits = k % 2 == 0 ? words[k / 2] & 0xFFFF : words[k / 2] >> 16;
    return bits < mask.threshold ? 0.0f : mask.scale();
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); }

} // namespace

/// The fused products against plain sums; sizes fill neither tiles nor vectors.
class TestLoraKernels : public QObject {
    Q_OBJECT

    static void addSizes() {
        QTest::addColumn<qint64>("rows");
        QTest::addColumn<qint64>("columns");
        QTest::addColumn<qint64>("rank");
        QTest::addColumn<double>("probability");
        QTest::newRow("whole tiles") << qint64(8) << qint64(256) << qint64(16) << 0.0;
        QTest::newRow("whole tiles, dropout") << qint64(8) << qint64(256) << qint64(16) << 0.3;
        QTest::newRow("ragged") << qint64(7) << qint64(141) << qint64(5) << 0.0;
        QTest::newRow("ragged, dropout") << qint64(7) << qint64(141) << qint64(5) << 0.3;
        QTest::newRow("one row") << qint64(1) << qint64(40) << qint64(1) << 0.5;
    }

private Q_SLOTS:
    void down_data() { addSizes(); }
    void down() {
        QFETCH(qint64, rows);
        QFETCH(qint64, columns);
        QFETCH(qint64, rank);
        QFETCH(double, probability);
        const Rows plan(rows, probability);
        const std::int64_t stride = columns + rank;
        auto x = random(rows * stride, 1);
        const auto before = x, a = random(rank * columns, 2);
        loraDown(probability > 0 ? &plan.mask : nullptr, x.data(), stride, rows, columns, a.data(), rank,
                 x.data() + columns, stride);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t j = 0; j < rank; ++j) {
                double expected = 0;
                for (std::int64_t i = 0; i < columns; ++i)
                    expected += double(before[r * stride + i]) *
                                (probability > 0 ? factor(plan.mask, r, i) : 1) * a[j * columns + i];
                QVERIFY(close(x[r * stride + columns + j], expected));
            }
        QCOMPARE(x[0], before[0]);
    }

    void backward_data() { addSizes(); }
    void backward() {
        QFETCH(qint64, rows);
        QFETCH(qint64, columns);
        QFETCH(qint64, rank);
        QFETCH(double, probability);
        const Rows plan(rows, probability);
        const auto of = [&](std::int64_t r, std::int64_t i) {
            return probability > 0 ? double(factor(plan.mask, r, i)) : 1.0;
        };
        const auto x = random(rows * columns, 1), a = random(rank * columns, 2), dU = random(rows * rank, 3);
        Floats gradA(rank * columns, 0.5f), dx(rows * columns, 0.25f), untouched(rank * columns, 0.5f);
        const auto* mask = probability > 0 ? &plan.mask : nullptr;
        loraBackward(mask, x.data(), columns, rows, columns, a.data(), rank, dU.data(), rank, gradA.data(),
                     dx.data(), columns);
        for (std::int64_t j = 0; j < rank; ++j)
            for (std::int64_t i = 0; i < columns; ++i) {
                double expected = 0.5;
                for (std::int64_t r = 0; r < rows; ++r)
                    expected += double(dU[r * rank + j]) * of(r, i) * x[r * columns + i];
                QVERIFY(close(gradA[j * columns + i], expected));
            }
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t i = 0; i < columns; ++i) {
                double expected = 0;
                for (std::int64_t j = 0; j < rank; ++j)
                    expected += double(dU[r * rank + j]) * a[j * columns + i];
                QVERIFY(close(dx[r * columns + i], 0.25 + of(r, i) * expected));
            }
        loraBackward(mask, x.data(), columns, rows, columns, a.data(), rank, dU.data(), rank,
                     untouched.data(), static_cast<float*>(nullptr), columns);
        QCOMPARE(untouched, gradA);
    }

    void outer_data() { addSizes(); }
    void outer() {
        QFETCH(qint64, rows);
        QFETCH(qint64, columns);
        QFETCH(qint64, rank);
        const auto dy = random(rows * columns, 1), u = random(rows * rank, 2);
        Floats gradB(columns * rank, 0.5f);
        loraOuter(dy.data(), columns, rows, columns, u.data(), rank, rank, 2.0f, gradB.data());
        for (std::int64_t i = 0; i < columns; ++i)
            for (std::int64_t j = 0; j < rank; ++j) {
                double expected = 0;
                for (std::int64_t r = 0; r < rows; ++r)
                    expected += double(dy[r * columns + i]) * u[r * rank + j];
                QVERIFY(close(gradB[i * rank + j], 0.5 + 2 * expected));
            }
    }

    void dropoutDropsTheAskedShare() {
        const std::int64_t rows = 64, n = 512;
        const Rows plan(rows, 0.1);
        Floats identity(n * n, 0.0f), ones(rows * n, 1.0f), out(rows * n);
        for (std::int64_t i = 0; i < n; ++i)
            identity[i * n + i] = 1;
        loraDown(&plan.mask, ones.data(), n, rows, n, identity.data(), n, out.data(), n);
        const double dropped =
            static_cast<double>(std::ranges::count(out, 0.0f)) / static_cast<double>(rows * n);
        QVERIFY(std::abs(dropped - 0.1) < 0.008);                            // 5 standard deviations
        QVERIFY(!std::equal(out.begin(), out.begin() + n, out.begin() + n)); // another position
        QVERIFY(!std::equal(out.begin(), out.begin() + n, out.begin() + rows / 2 * n)); // another document
        QVERIFY(std::abs(*std::ranges::max_element(out) - 1 / 0.9) < 1e-4);
    }

    void bf16AgreesWithFp32() {
        const std::int64_t rows = 9, columns = 200, rank = 6;
        const Rows plan(rows, 0.2);
        const auto x = random(rows * columns, 1), a = random(rank * columns, 2);
        std::vector<Bf16> half;
        Floats rounded;
        for (const float value : x) {
            half.push_back(toBf16(value));
            rounded.push_back(toFloat(half.back()));
        }
        std::vector<Bf16> u(rows * rank);
        Floats expected(rows * rank);
        loraDown(&plan.mask, half.data(), columns, rows, columns, a.data(), rank, u.data(), rank);
        loraDown(&plan.mask, rounded.data(), columns, rows, columns, a.data(), rank, expected.data(), rank);
        for (std::size_t i = 0; i < u.size(); ++i)
            QCOMPARE(toFloat(u[i]), toFloat(toBf16(expected[i])));
    }
};

QTEST_APPLESS_MAIN(TestLoraKernels)
#include "test_lora_kernels.moc"
