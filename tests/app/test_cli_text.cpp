#include "app/cli/attach_view.h"
#include "app/cli/loss_chart.h"
#include "app/cli/progress_view.h"
#include "app/cli/report.h"
#include "core/base/text.h"

#include <QTest>
#include <algorithm>
#include <cmath>

using namespace anneal;
using namespace anneal::cli;

class TestCliText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tablesAlign() {
        TextTable table;
        table.add({"run", "loss"});
        table.add({"é", "1.5"});
        table.add({"longer", "10.25"});
        QCOMPARE(table.text(), std::string("run      loss\né         1.5\nlonger  10.25\n"));
    }

    void textIsClippedByCharacters() {
        QCOMPARE(clipped("日本語", 2), std::string("日本"));
        QCOMPARE(clipped("ab", 5), std::string("ab"));
        QCOMPARE(barText(0.5, 10), std::string("[####----]"));
        QCOMPARE(barText(7, 4), std::string("[##]"));
        QCOMPARE(barText(-1, 4), std::string("[--]"));
    }

    void theCurveFallsFromLeftToRight() {
        LossChart chart;
        for (int step = 1; step <= 400; ++step)
            chart.add(step, 4.0 - 0.009 * step);
        const auto text = chart.text(49, 9);
        auto lines = split(text, '\n');
        QVERIFY(lines.back().empty());
        lines.pop_back();
        QCOMPARE(lines.size(), std::size_t{9});
        for (const auto line : lines)
            QVERIFY2(columnsOf(line) <= 49, std::string(line).c_str());
        QVERIFY(lines[0].find("█") == std::string_view::npos || lines[0].find("█") < lines[7].find("▁"));
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t{9});
        QVERIFY(lines[0].starts_with("  3.95")); // mean of the first ten steps
        QVERIFY(lines[7].find("█") != std::string_view::npos);
        QVERIFY(lines[8].ends_with("400"));
    }

    void theCurveTakesWhatComes() {
        LossChart chart;
        QVERIFY(chart.text(80, 9).empty());
        chart.add(1, 2.0);
        QVERIFY(!chart.text(80, 9).empty());
        chart.add(2, std::nan(""));
        QVERIFY(chart.text(80, 9).find('!') != std::string::npos);
        QVERIFY(chart.text(5, 9).empty());
    }

    void phasesShowHowFarTheyAre() {
        QCOMPARE(phaseLine({"loading model", 136, 272, "tensors"}),
                 std::string("loading model  [##########----------]  136 of 272 tensors"));
        QCOMPARE(phaseLine({"reading", 1200, 0, "rows"}), std::string("reading  1,200 rows"));
        QCOMPARE(phaseLine({"saving", 0, 0, ""}), std::string("saving"));
    }

    void unknownGaugesAreLeftOut() {
        TelemetrySample sample;
        QVERIFY(gaugeText(sample).empty());
        sample.cpu = 0.5;
        QCOMPARE(gaugeText(sample), std::string("cpu [##########----------] 50 %  \n"));
        GpuSample gpu;
        gpu.utilization = 1;
        gpu.memory_used = 1 << 30;
        sample.gpus = {gpu};
        QCOMPARE(gaugeText(sample), std::string("gpu 0 busy [####################] 100 %  \n"));
    }

    void theSummarySaysWhatTrainingBrought() {
        RunSummary summary;
        summary.id = "a";
        summary.status = RunStatus::Finished;
        summary.base_validation_loss = 4.0;
        summary.best = BestResult{200, 3.0};
        summary.cost.spent = 1.5;
        const auto text = summaryText(summary);
        QVERIFY2(text.find("3.0000 at step 200 (base 4.0000, -25.0 %)") != std::string::npos, text.c_str());
        QVERIFY(text.find("1.50 USD") != std::string::npos);
        QVERIFY(text.find("time left") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCliText)
#include "test_cli_text.moc"
