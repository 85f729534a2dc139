#include "core/data/bpe.h"

#include "core/base/random.h"

#include <QElapsedTimer>
#include <QTest>
#include <thread>

using namespace anneal;

namespace {

/// Spelled as GPT-2 does; merges "a b", "ab c", then anything of two letters.
BpeModel letters(bool ignoreMerges = false) {
    std::vector<std::string> pieces;
    for (char c = 'a'; c <= 'z'; ++c)
        pieces.emplace_back(1, c);
    std::vector<BpeMerge> merges;
    const auto add = [&](std::int32_t left, std::int32_t right) {
        pieces.push_back(pieces[static_cast<std::size_t>(left)] + pieces[static_cast<std::size_t>(right)]);
        merges.push_back({left, right, static_cast<std::uint32_t>(merges.size()),
                          static_cast<std::int32_t>(pieces.size()) - 1});
    };
    add(0, 1);                                // ab = 26
    add(26, 2);                               // abc = 27
    for (std::uint64_t i = 0; i < 200; ++i) { // other pairs, none of them of a or b
        const auto left = 2 + randomBits(1, i) % 24, right = 2 + randomBits(2, i) % (24 + i);
        add(static_cast<std::int32_t>(left), static_cast<std::int32_t>(right >= 26 ? right + 2 : right));
    }
    pieces.push_back("xyzzy");
    BpeOptions options;
    options.ignoreMerges = ignoreMerges;
    return BpeModel(Vocabulary(pieces), merges, options);
}

std::string randomWord(std::uint64_t key, std::size_t length) {
    std::string word;
    for (std::size_t i = 0; i < length; ++i)
        word.push_back(static_cast<char>('a' + randomBits(key, i) % 26));
    return word;
}

WordTokens tokensOf(const BpeModel& model, std::string_view word) {
    WordTokens tokens;
    model.encode(word, tokens);
    return tokens;
}

} // namespace

class TestBpe : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mergesByRank() {
        const auto model = letters();
        QCOMPARE(tokensOf(model, "abc").ids, std::vector<std::int32_t>{27});
        QCOMPARE(tokensOf(model, "aab").ids.back(), 26);
        QCOMPARE(tokensOf(model, "").ids.size(), std::size_t{0});
    }

    void wholeWordsComeFirstWhereMergesAreIgnored() {
        QCOMPARE(tokensOf(letters(true), "xyzzy").ids.size(), std::size_t{1});
        QVERIFY(tokensOf(letters(false), "xyzzy").ids.size() > 1);
    }

    void bytesWithoutATokenAreCounted() {
        const auto tokens = tokensOf(letters(), "a\xFF"
                                                "b");
        QCOMPARE(tokens.ids, std::vector<std::int32_t>{26}); // the neighbours meet, as they do for tokenizers
        QCOMPARE(tokens.lost, 1u);
        QCOMPARE(tokens.begins.front(), 0u);
        QCOMPARE(tokens.ends.front(), 3u);
    }

    /// Long words go through a heap, short ones through a scan, cached ones through neither: a letter that
    /// merges with nothing cuts a long word into short ones.
    void longWordsMergeAsShortOnesDo() {
        std::vector<std::string> pieces{"a", "b", "c", "|"};
        std::vector<BpeMerge> merges;
        const auto add = [&](std::int32_t left, std::int32_t right) {
            pieces.push_back(pieces[static_cast<std::size_t>(left)] +
                             pieces[static_cast<std::size_t>(right)]);
            merges.push_back({left, right, static_cast<std::uint32_t>(merges.size()),
                              static_cast<std::int32_t>(pieces.size()) - 1});
        };
        add(0, 1), add(2, 0), add(4, 4), add(5, 4), add(1, 2), add(8, 0), add(0, 0);
        const BpeModel model(Vocabulary(pieces), merges, {});
        std::string whole;
        std::vector<std::int32_t> expected;
        for (std::uint64_t i = 0; i < 200; ++i) {
            std::string part;
            for (std::uint64_t k = 0; k < 1 + i % 20; ++k)
                part.push_back(static_cast<char>('a' + randomBits(i, k) % 3));
            const auto tokens = tokensOf(model, part + "|");
            expected.insert(expected.end(), tokens.ids.begin(), tokens.ids.end());
            whole += part + "|";
        }
        QCOMPARE(tokensOf(model, whole).ids, expected);
    }

    void aLongWordIsNotQuadratic() {
        const auto model = letters();
        QElapsedTimer timer;
        timer.start();
        const auto tokens = tokensOf(model, randomWord(3, 1 << 20));
        QVERIFY(tokens.ends.back() == 1 << 20);
        QVERIFY2(timer.elapsed() < 20000, "a megabyte without a space has to take about a second");
    }

    void threadsShareTheCache() {
        const auto model = letters();
        std::vector<std::vector<std::int32_t>> results(4);
        std::vector<std::thread> threads;
        for (auto& result : results)
            threads.emplace_back([&] {
                for (std::uint64_t i = 0; i < 20000; ++i) {
                    const auto tokens = tokensOf(model, randomWord(i % 3000, 1 + i % 12));
                    result.insert(result.end(), tokens.ids.begin(), tokens.ids.end());
                }
            });
        for (auto& thread : threads)
            thread.join();
        QVERIFY(results[0] == results[1] && results[0] == results[2] && results[0] == results[3]);
    }

    void mergesComeFromScores() {
        // "ab" and "bc" have equal scores: then the leftmost pair goes first.
        const Vocabulary vocabulary({"a", "b", "c", "ab", "bc", "abc", "<0x61>"});
        const std::vector<float> scores{-1, -1, -1, -2, -2, -3, 0};
        const std::vector<bool> usable{true, true, true, true, true, true, false};
        const auto merges = mergesFromScores(vocabulary, scores, usable);
        QCOMPARE(merges.size(), std::size_t{4});
        BpeOptions options;
        options.byteLevel = false;
        const BpeModel model(Vocabulary({"a", "b", "c", "ab", "bc", "abc", "<0x61>"}), merges, options);
        QCOMPARE(tokensOf(model, "abc").ids, std::vector<std::int32_t>{5});
        QCOMPARE(tokensOf(model, "bcb").ids, (std::vector<std::int32_t>{4, 1}));
    }
};

QTEST_GUILESS_MAIN(TestBpe)
#include "test_bpe.moc"
