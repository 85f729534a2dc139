#include "core/data/text_metrics.h"

#include <QTest>
#include <cmath>

using namespace anneal;

class TestTextMetrics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void squadScores() {
        // Values of evaluate's squad metric.
        QVERIFY(std::abs(tokenF1("The Court of Appeal", "court of appeals") - 0.666667) < 1e-6);
        QVERIFY(!exactMatch("The Court of Appeal", "court of appeals"));
        QVERIFY(exactMatch("The  Court, of\tan Appeal.", "court of appeal"));
        QCOMPARE(tokenF1("yes", "no"), 0.0);
        QCOMPARE(tokenF1("", "no"), 0.0);
        QCOMPARE(tokenF1("the", "a"), 1.0); // nothing is left of both
        QCOMPARE(tokenF1("rent rent", "rent"), 2.0 / 3.0);
    }

    void citations() {
        QCOMPARE(lastCitation("See [1]. It must. [MPL-2.0  \n§3.2]\n"), std::string("MPL-2.0 §3.2"));
        QCOMPARE(lastCitation("none"), std::string());
        QCOMPARE(lastCitation("] ["), std::string());
        QVERIFY(citationMatches("x [MPL-2.0 §3.2]", "y [MPL-2.0 §3.2]"));
        QVERIFY(!citationMatches("x [MPL-2.0 §3.20]", "y [MPL-2.0 §3.2]"));
        QVERIFY(!citationMatches("x", "y"));
        QVERIFY(!citationMatches("x []", "y []"));
    }

    void bleu() {
        // Values of sacrebleu 2.6.0.
        Bleu short_, repeated;
        short_.add("The tenant shall pay.", "The tenant shall pay rent.");
        QVERIFY(std::abs(short_.score(true) - 57.893007) < 1e-5);
        repeated.add("the the the the the the the", "the cat is on the mat");
        QVERIFY(std::abs(repeated.score() - 7.809850) < 1e-5);
        Bleu equal;
        equal.add("The tenant shall pay rent.", "The tenant shall pay rent.");
        QVERIFY(std::abs(equal.score() - 100) < 1e-9);
        QCOMPARE(Bleu().score(), 0.0);
        QCOMPARE(bleuWords("It's 1,000.5 (net), a-b 3-4&lt;x."),
                 (std::vector<std::string>{"It's", "1,000.5", "(", "net", ")", ",", "a-b", "3", "-", "4", "<",
                                           "x", "."}));
    }

    void rouge() {
        // Values of rouge_score 0.1.2 without stemmer.
        QVERIFY(std::abs(
                    rougeL("the tenant shall pay the rents monthly", "the tenants must pay rent each month") -
                    0.285714) < 1e-6);
        QCOMPARE(rougeL("A, b!", "a B"), 1.0);
        QCOMPARE(rougeL("", "a"), 0.0);
    }

    void meansOverAnswers() {
        TextScores scores({"loss", "f1", "citation", "exact_match"});
        scores.add("a tenant pays [A 1]", "tenant pays [A 1]");
        scores.add("nothing", "tenant pays [A 1]");
        QCOMPARE(dumpJson(scores.means()),
                 std::string(R"({"f1":0.5,"citation":0.5,"exact_match":0.5,"answers":2})"));
        QCOMPARE(dumpJson(TextScores({"f1"}).means()), std::string(R"({"f1":0.0,"answers":0})"));
        QVERIFY(isGenerationMetric("f1") && !isGenerationMetric("loss") && !isGenerationMetric("perplexity"));
    }
};

QTEST_GUILESS_MAIN(TestTextMetrics)
#include "test_text_metrics.moc"
