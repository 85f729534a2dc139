#include "core/plan/catalogue.h"

#include <QTest>
#include <algorithm>

using namespace anneal;

namespace {

const char* const gpuRows = "gpus: [{name: H100, memory_gb: 80, bf16_tflops: 989}]\nmachines:\n";

Catalogue withMachine(const std::string& row) {
    return parseCatalogue(gpuRows + ("  - {" + row + "}\n"), "prices.yaml");
}

} // namespace

class TestCatalogue : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theShippedListIsWhole() {
        const auto catalogue = loadCatalogue(ANNEAL_SOURCE_DIR "/presets/machines.yaml");
        QVERIFY(catalogue.ok());
        QVERIFY2(catalogue->problems.empty(),
                 catalogue->problems.empty() ? "" : catalogue->problems.front().text.c_str());
        QVERIFY(catalogue->offers.size() >= 25);
        for (const auto& offer : catalogue->offers) {
            QVERIFY(!offer.source.empty() && offer.date.starts_with("20") && offer.currency == "USD");
            QVERIFY(offer.gpu.memory_bytes >= 40e9 && offer.count == 8);
        }
        const auto lambda =
            std::find_if(catalogue->offers.begin(), catalogue->offers.end(),
                         [](const MachineOffer& offer) { return matches(offer, "Lambda H100"); });
        QVERIFY(lambda != catalogue->offers.end());
        QCOMPARE(lambda->hourly, 31.92);
    }

    void badPricesAreLeftOut_data() {
        QTest::addColumn<QString>("row");
        QTest::addColumn<QString>("reason");
        const char* const rest = ", gpu: H100, currency: USD, source: list, date: 2026-05";
        const auto row = [&](const char* name, const char* start, const char* reason) {
            QTest::newRow(name) << QString(start) + rest << reason;
        };
        row("blank", "provider: A, machine: m, count: 8, hourly: ", "has no price");
        row("missing", "provider: A, machine: m, count: 8", "has no price");
        row("zero", "provider: A, machine: m, count: 8, hourly: 0", "has no price");
        row("placeholder", "provider: A, machine: m, count: 8, hourly: 700.0", "absurd price");
        row("negative", "provider: A, machine: m, count: 8, hourly: -3", "absurd price");
        row("far too cheap", "provider: A, machine: m, count: 8, hourly: 0.01", "absurd price");
        row("not a number", "provider: A, machine: m, count: 8, hourly: .nan", "has no price");
        row("text", "provider: A, machine: m, count: 8, hourly: cheap", "has no price");
        row("no GPUs", "provider: A, machine: m, count: 0, hourly: 20", "needs provider");
        row("no provider", "machine: m, count: 8, hourly: 20", "needs provider");
        QTest::newRow("no date")
            << "provider: A, machine: m, count: 8, hourly: 20, gpu: H100, currency: USD, source: x"
            << "date";
        QTest::newRow("unknown GPU") << "provider: A, machine: m, count: 8, hourly: 20, gpu: X9, currency: "
                                        "USD, source: x, date: 2026-05"
                                     << "X9";
    }
    void badPricesAreLeftOut() {
        QFETCH(QString, row);
        QFETCH(QString, reason);
        const auto catalogue = withMachine(row.toStdString());
        QVERIFY(catalogue.offers.empty());
        QCOMPARE(catalogue.problems.size(), std::size_t{1});
        QVERIFY2(catalogue.problems[0].text.find(reason.toStdString()) != std::string::npos,
                 catalogue.problems[0].text.c_str());
        QCOMPARE(catalogue.problems[0].line, 3);
    }

    void aBadRowDoesNotSpoilTheRest() {
        const auto catalogue =
            parseCatalogue(std::string(gpuRows) + "  - 3\n"
                                                  "  - {provider: B, machine: m, gpu: H100, count: 1, "
                                                  "hourly: 2.5, currency: EUR, source: x, date: 2026-05}\n");
        QCOMPARE(catalogue.offers.size(), std::size_t{1});
        QCOMPARE(catalogue.problems.size(), std::size_t{1});
        QVERIFY(!parseCatalogue("machines: [").problems.empty());
    }

    void providersAreFoundByNameAndMachine() {
        const MachineOffer offer{"RunPod Secure", "8 x H100", {"H100", 80e9, 1}, 8, 20, "USD", "x", "2026"};
        for (const auto* name :
             {"RunPod Secure", "runpod secure", "RunPod Secure H100", "RunPod Secure 8 x H100"})
            QVERIFY2(matches(offer, name), name);
        for (const auto* name : {"", "RunPod", "Lambda", "RunPod Secure A100"})
            QVERIFY2(!matches(offer, name), name);
    }

    void driverNamesAreUnderstood() {
        const auto catalogue = *loadCatalogue(ANNEAL_SOURCE_DIR "/presets/machines.yaml");
        QCOMPARE(catalogue.kindOf("NVIDIA H100 80GB HBM3", 85e9).bf16_flops, 989e12);
        QCOMPARE(catalogue.kindOf("NVIDIA H100 PCIe", 85e9).bf16_flops, 756e12);
        QCOMPARE(catalogue.kindOf("NVIDIA A100-SXM4-40GB", 42e9).bf16_flops, 312e12);
        QCOMPARE(catalogue.kindOf("NVIDIA L40S", 48e9).bf16_flops, 362e12);
        QCOMPARE(catalogue.kindOf("NVIDIA GeForce RTX 4090", 25e9).bf16_flops, 165e12);
        const auto unknown = catalogue.kindOf("Future Card", 1e12);
        QVERIFY(unknown.bf16_flops > 0 && unknown.memory_bytes == 1e12);
    }
};

QTEST_APPLESS_MAIN(TestCatalogue)
#include "test_catalogue.moc"
