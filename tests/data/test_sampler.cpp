#include "core/data/sampler.h"

#include "core/base/random.h"
#include "tests/data/store_fixture.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <numeric>

using namespace anneal;
using namespace anneal::test;

namespace {

std::vector<std::uint32_t> randomLengths(std::size_t count, std::uint32_t longest) {
    std::vector<std::uint32_t> lengths;
    for (std::size_t i = 0; i < count; ++i)
        lengths.push_back(1 + static_cast<std::uint32_t>(randomBits(7, i) % longest));
    return lengths;
}

DataSettings settings(bool packing, bool shuffle = true) {
    DataSettings data;
    data.packing = packing;
    data.shuffle = shuffle;
    data.max_length = 64;
    return data;
}

TrainingSettings training(std::int64_t batch, std::int64_t accumulation, double epochs = 3) {
    TrainingSettings settings;
    settings.per_device_batch_size = batch;
    settings.gradient_accumulation_steps = accumulation;
    settings.epochs = epochs;
    return settings;
}

/// How often each row comes in steps [first, last].
std::map<std::uint32_t, int> rowCounts(const Sampler& sampler, std::int64_t first, std::int64_t last) {
    std::map<std::uint32_t, int> counts;
    for (auto step = first; step <= last; ++step)
        for (const auto& sequence : sampler.batch(step).sequences)
            for (const auto row : sequence)
                ++counts[row];
    return counts;
}

} // namespace

class TestSampler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void packsAsTheReferenceDoes() {
        // [[1..4], [6, 7], [8, 9, 10], [11]] -> [[1..4], [8, 9, 10, 11], [6, 7]]
        const auto packed = packBestFit({4, 2, 3, 1}, 4);
        QCOMPARE(packed, (std::vector<Sequence>{{0}, {2, 3}, {1}}));
    }

    void packsEveryRowOnceAndWithinTheLimit() {
        const auto lengths = randomLengths(20000, 512);
        const auto packed = packBestFit(lengths, 512);
        std::vector<int> seen(lengths.size(), 0);
        std::uint64_t total = 0;
        for (const auto& sequence : packed) {
            std::uint64_t tokens = 0;
            for (const auto row : sequence)
                tokens += lengths[row], ++seen[row];
            QVERIFY(tokens <= 512);
            total += tokens;
        }
        QVERIFY(std::ranges::all_of(seen, [](int count) { return count == 1; }));
        QVERIFY(static_cast<double>(total) / (512.0 * static_cast<double>(packed.size())) > 0.98);
        QCOMPARE(packBestFit(lengths, 512), packed);
    }

    void packsNothing() { QVERIFY(packBestFit({}, 8).empty()); }

    void aStoreReadsBackWhatWasWritten() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{{3, 1}, 1.0}, {{2}, 0.5}}));
        const auto store = TokenStore::open(folder.path() / "s");
        QVERIFY(store);
        QCOMPARE(store->rows(), std::size_t{3});
        QCOMPARE(store->tokens(), std::uint64_t{6});
        QCOMPARE(store->supervisedTokens(), std::uint64_t{3}); // position 0 of a row is never trained
        QVERIFY(!isSupervised(store->row(0)[0]));
        QVERIFY(isSupervised(store->row(0)[1]));
        QCOMPARE(tokenId(store->row(2)[1]), 2u);
        QCOMPARE(store->sources().size(), std::size_t{2});
        QCOMPARE(store->sources()[1].end, std::uint64_t{3});
        QCOMPARE(store->sources()[1].weight, 0.5);
        QCOMPARE(store->fingerprint(), std::string("f"));
    }

    void aTornStoreIsRefused() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{{3, 1}}}));
        QVERIFY(writeFileAtomic(folder.path() / "s" / tokenStoreTokensName, "abc"));
        const auto store = TokenStore::open(folder.path() / "s");
        QVERIFY(!store);
        QVERIFY(store.error().message.find("damaged") != std::string::npos);
    }

    void anEmptyStoreHasNoSteps() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {}));
        const auto store = TokenStore::open(folder.path() / "s");
        QVERIFY(store);
        const Sampler sampler(*store, settings(true), training(2, 2));
        QCOMPARE(sampler.totalSteps(), 0);
        QVERIFY(sampler.batch(1).sequences.empty());
        QVERIFY(sampler.longestBatch().empty());
    }

    void visitsEachRowOnceAnEpoch_data() {
        QTest::addColumn<bool>("packing");
        QTest::newRow("packed") << true;
        QTest::newRow("unpacked") << false;
    }

    void visitsEachRowOnceAnEpoch() {
        QFETCH(bool, packing);
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{randomLengths(301, 60)}}));
        const auto store = TokenStore::open(folder.path() / "s");
        const Sampler sampler(*store, settings(packing), training(4, 2));
        const auto steps = sampler.stepsPerEpoch();
        QCOMPARE(sampler.totalSteps(), 3 * steps);
        for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
            const auto counts = rowCounts(sampler, epoch * steps + 1, (epoch + 1) * steps);
            QCOMPARE(counts.size(), std::size_t{301});
            QVERIFY(std::ranges::all_of(counts, [](const auto& count) { return count.second == 1; }));
        }
        const auto last = sampler.batch(steps);
        QCOMPARE(static_cast<std::int64_t>(last.sequences.size()), (sampler.sequencesPerEpoch() - 1) % 8 + 1);
        QCOMPARE(last.epoch, 1.0);
        QVERIFY(sampler.batch(1).sequences !=
                sampler.batch(steps + 1).sequences); // another order in each epoch
    }

    void anyStepIsTheSameWhereverOneStarts() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{randomLengths(97, 60)}}));
        const auto store = TokenStore::open(folder.path() / "s");
        const Sampler whole(*store, settings(true), training(2, 2));
        std::uint64_t next = 0;
        for (std::int64_t step = 1; step <= whole.totalSteps(); ++step) {
            const Sampler resumed(*store, settings(true), training(2, 2));
            const auto a = whole.batch(step), b = resumed.batch(step);
            QCOMPARE(b.sequences, a.sequences);
            QCOMPARE(b.firstSequence, a.firstSequence);
            QCOMPARE(b.epoch, a.epoch);
            QCOMPARE(a.firstSequence, next);
            next += a.sequences.size();
        }
        QCOMPARE(whole.batch(1).sequences,
                 Sampler(*store, settings(true), training(2, 2)).batch(1).sequences);
    }

    void microBatchesDoNotChangeTheOrder() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{randomLengths(50, 60)}}));
        const auto store = TokenStore::open(folder.path() / "s");
        const Sampler a(*store, settings(false), training(4, 2)), b(*store, settings(false), training(1, 8));
        for (std::int64_t step = 1; step <= a.totalSteps(); ++step)
            QCOMPARE(b.batch(step).sequences, a.batch(step).sequences);
    }

    void seedsDiffer() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{randomLengths(50, 60)}}));
        const auto store = TokenStore::open(folder.path() / "s");
        auto other = training(4, 2);
        other.seed = 43;
        QVERIFY(Sampler(*store, settings(false), other).batch(1).sequences !=
                Sampler(*store, settings(false), training(4, 2)).batch(1).sequences);
    }

    void withoutShuffleRowsComeInTheOrderOfTheFile() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{randomLengths(10, 60)}}));
        const auto store = TokenStore::open(folder.path() / "s");
        const Sampler sampler(*store, settings(false, false), training(4, 1));
        QCOMPARE(sampler.batch(2).sequences, (std::vector<Sequence>{{4}, {5}, {6}, {7}}));
        QCOMPARE(sampler.batch(4).sequences, (std::vector<Sequence>{{0}, {1}, {2}, {3}}));
    }

    void weightsRepeatAndThin() {
        TemporaryFolder folder;
        const std::vector<std::uint32_t> ten(10, 5);
        QVERIFY(writeStore(folder.path() / "s", {{ten, 2.0}, {ten, 0.5}, {ten, 1.5}, {ten, 1.0}}));
        const auto store = TokenStore::open(folder.path() / "s");
        const Sampler sampler(*store, settings(false), training(1, 1));
        QCOMPARE(sampler.sequencesPerEpoch(), 20 + 5 + 15 + 10);
        const auto first = rowCounts(sampler, 1, 50);
        QCOMPARE(first.at(0), 2);
        QCOMPARE(first.at(39), 1);
        // Over two epochs a half is seen once, one and a half three times: no row is left out.
        auto both = rowCounts(sampler, 1, 100);
        for (std::uint32_t row = 0; row < 40; ++row)
            QCOMPARE(both[row], row < 10 ? 4 : row < 20 ? 1 : row < 30 ? 3 : 2);
    }

    void weightsOfTheSettingsWin() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{{5, 5}, 1.0}}));
        const auto store = TokenStore::open(folder.path() / "s");
        auto data = settings(false);
        data.train = {{"source", "auto", 3.0}};
        QCOMPARE(Sampler(*store, data, training(1, 1)).sequencesPerEpoch(), 6);
    }

    void stepsFollowEpochsOrMaxSteps() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{std::vector<std::uint32_t>(30, 5)}}));
        const auto store = TokenStore::open(folder.path() / "s");
        QCOMPARE(Sampler(*store, settings(false), training(1, 1, 0.1)).totalSteps(), 3);
        QCOMPARE(Sampler(*store, settings(false), training(4, 1, 1.5)).totalSteps(), 12);
        auto limited = training(4, 1);
        limited.max_steps = 5;
        QCOMPARE(Sampler(*store, settings(false), limited).totalSteps(), 5);
        QCOMPARE(Sampler(*store, settings(false), training(4, 1)).batch(4).epoch, 16.0 / 30.0);
    }

    void theLongestBatchHoldsTheLongestSequences() {
        TemporaryFolder folder;
        QVERIFY(writeStore(folder.path() / "s", {{{5, 60, 7, 61, 60, 3}}}));
        const auto store = TokenStore::open(folder.path() / "s");
        QCOMPARE(Sampler(*store, settings(false), training(2, 8)).longestBatch(),
                 (std::vector<Sequence>{{3}, {1}}));
    }
};

QTEST_GUILESS_MAIN(TestSampler)
#include "test_sampler.moc"
