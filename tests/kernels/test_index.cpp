#include "core/kernels/index.h"

#include <QtTest>

using namespace anneal::kernels;

/// Index arithmetic of the CUDA kernels where 32 bits would overflow.
class TestIndex : public QObject {
    Q_OBJECT

    static constexpr std::int64_t big = (std::int64_t{1} << 31) + 130; ///< of block 2

private Q_SLOTS:
    void nf4PositionsPassTwoToThe31() {
        const auto even = nf4Position(big), odd = nf4Position(big + 1);
        QCOMPARE(even.byte, (std::int64_t{1} << 30) + 65);
        QCOMPARE(odd.byte, even.byte);
        QVERIFY(even.high && !odd.high);
        QCOMPARE(even.block, (std::int64_t{1} << 25) + 2);
        QCOMPARE(nf4Position(4 * big).block, (std::int64_t{1} << 27) + 8);
    }

    void ropePairsPassTwoToThe31() {
        const std::int64_t heads = 64, size = 128, stride = heads * size + 7, row = 600'000;
        std::vector<std::int64_t> positions(static_cast<std::size_t>(row + 1), 3);
        const auto pair = ropePair((row * heads + 5) * (size / 2) + 9, heads, size, stride, positions.data());
        QVERIFY(pair.low > big);
        QCOMPARE(pair.low, row * stride + 5 * size + 9);
        QCOMPARE(pair.high, pair.low + size / 2);
        QCOMPARE(pair.angle, std::int64_t{3 * 64 + 9});
    }

    void gatePairsPassTwoToThe31() {
        const std::int64_t columns = 28'672, row = 80'000;
        const auto at = gatePair(row * columns + 11, columns, columns + 16);
        QVERIFY(at.out > big && at.gate > 2 * big);
        QCOMPARE(at.gate, row * 2 * columns + 11);
        QCOMPARE(at.up, at.gate + columns);
        QCOMPARE(at.out, row * (columns + 16) + 11);
    }

    void threadsCoverEachElementOnce() {
        const unsigned threads = 256;
        for (const std::int64_t count : {std::int64_t{1}, std::int64_t{255}, std::int64_t{257}, 3 * big}) {
            const unsigned blocks = gridBlocks(count, threads);
            QVERIFY(blocks >= 1 && blocks <= (1u << 20));
            const std::int64_t last = firstOfThread(blocks - 1, threads, threads - 1),
                               step = std::int64_t{blocks} * threads;
            QCOMPARE(last + 1, step);                     // threads of one round are consecutive
            QVERIFY(blocks == 1u << 20 || step >= count); // and one round is enough, or the grid is full
        }
    }
};

QTEST_APPLESS_MAIN(TestIndex)
#include "test_index.moc"
