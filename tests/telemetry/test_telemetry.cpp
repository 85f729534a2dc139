#include "core/base/system.h"
#include "core/telemetry/prometheus.h"
#include "core/telemetry/sampler.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <limits>
#include <unistd.h>

using namespace anneal;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A folder like /proc whose files the test writes.
class FakeProc {
public:
    void write(const char* name, std::string_view text) const {
        const auto file = path() / name;
        fs::create_directories(file.parent_path());
        if (!writeFileAtomic(file, text))
            qFatal("cannot write %s", file.c_str());
    }
    fs::path path() const { return folder_.path().toStdString(); }

private:
    QTemporaryDir folder_;
};

RunSummary exampleRun() {
    RunSummary run;
    run.id = "legal \"qa\"\n1";
    run.status = RunStatus::Running;
    run.step = 215;
    run.max_steps = 537;
    run.train_loss = 1.25;
    run.tokens = 123456789;
    run.learning_rate = 1e-5;
    return run;
}

} // namespace

class TestTelemetry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsCpuTicks() {
        const auto ticks = readCpuTicks("cpu  100 5 50 800 40 3 2 0 7 0\ncpu0 1 2 3 4\n");
        QCOMPARE(ticks->total, 1000u);
        QCOMPARE(ticks->busy, 160u);
        QVERIFY(!readCpuTicks("") && !readCpuTicks("cpu0 1 2 3 4\n") && !readCpuTicks("cpu  1\n"));
    }

    void readsMemory() {
        const auto memory =
            readMemory("MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   20000000 kB\n");
        QCOMPARE(memory->total, 24000000.0 * 1024);
        QCOMPARE(memory->used, 4000000.0 * 1024);
        QVERIFY(!readMemory("MemTotal:       24000000 kB\n"));
        QCOMPARE(*readProportionalBytes(
                     "55d-7ff ---p 0 00:00 0 [rollup]\nRss: 900 kB\nPss:  512 kB\nPss_Dirty: 1 kB\n"),
                 524288.0);
        QCOMPARE(*readResidentPages("5000 321 100 1 0 99 0\n"), 321u);
        QVERIFY(!readResidentPages(""));
    }

    void countsEachDiskOnce() {
        const auto bytes = readDiskBytes("   7       0 loop0 10 0 80 0 0 0 0 0 0 0 0\n"
                                         "   8       0 sda 100 0 2000 5 50 0 1000 9 0 1 1 0 0 0 0\n"
                                         "   8       1 sda1 100 0 2000 5 50 0 1000 9 0 1 1 0 0 0 0\n"
                                         " 259       0 nvme0n1 1 0 8 0 1 0 16 0 0 0 0\n"
                                         " 259       1 nvme0n1p1 1 0 8 0 1 0 16 0 0 0 0\n"
                                         " 253       0 dm-0 1 0 8000 0 1 0 16 0 0 0 0\n");
        QCOMPARE(bytes->in, 2008.0 * 512);
        QCOMPARE(bytes->out, 1016.0 * 512);
        QVERIFY(!readDiskBytes("   7       0 loop0 10 0 80 0 0 0 0 0 0 0 0\n"));
    }

    void leavesLoopbackOut() {
        const auto bytes =
            readNetworkBytes("Inter-|   Receive                     |  Transmit\n"
                             " face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
                             "    lo:  999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n"
                             "  eth0: 1000 5 0 0 0 0 0 0 2000 6 0 0 0 0 0 0\n"
                             " wlan0:10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n");
        QCOMPARE(bytes->in, 1010.0);
        QCOMPARE(bytes->out, 2020.0);
        QVERIFY(!readNetworkBytes("nothing"));
    }

    void ratesAreMeansBetweenSamples() {
        const FakeProc proc;
        proc.write("stat", "cpu  100 0 0 100 0 0 0 0 0 0\n");
        proc.write("diskstats", " 8 0 sda 1 0 1000 0 1 0 1000 0 0 0 0\n");
        proc.write("net/dev", " eth0: 1000 1 0 0 0 0 0 0 5000 1 0 0 0 0 0 0\n");
        proc.write("meminfo", "MemTotal: 100 kB\nMemAvailable: 75 kB\n");
        proc.write("41/smaps_rollup", "Pss: 10 kB\n");
        proc.write("42/statm", "9 2 1\n");
        TelemetrySampler sampler(proc.path(), nullptr);
        const int pids[] = {41, 42, 4242};
        const auto first = sampler.sample(pids);
        QVERIFY(!first.cpu && !first.disk_read && !first.network_sent);
        QCOMPARE(*first.memory_used, 25.0 * 1024);
        QCOMPARE(*first.run_memory, 10240.0 + 2 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
        QVERIFY(first.gpus.empty() && first.t > 1.6e9 && !first.host.empty());

        proc.write("stat", "cpu  175 0 0 125 0 0 0 0 0 0\n");
        proc.write("diskstats", " 8 0 sda 1 0 3000 0 1 0 500 0 0 0 0\n");
        proc.write("net/dev", " eth0: 1000 1 0 0 0 0 0 0 9000 1 0 0 0 0 0 0\n");
        QTest::qSleep(20);
        const auto second = sampler.sample({});
        QCOMPARE(*second.cpu, 0.75);
        QVERIFY(*second.disk_read > 0 && *second.disk_read < 2000.0 * 512 / 0.02);
        QVERIFY2(!second.disk_write, "a counter that went back is no rate");
        QCOMPARE(*second.network_received, 0.0);
        QVERIFY(*second.network_sent > 0);
        QVERIFY2(!second.run_memory, "no process, no value");
    }

    void missingFilesAreNullNotZero() {
        const FakeProc proc;
        TelemetrySampler sampler(proc.path(), nullptr);
        sampler.sample({});
        const auto json = toJson(sampler.sample({}));
        for (const auto* key : {"cpu", "memory_used", "run_memory", "disk_read", "network_sent"})
            QVERIFY2(json[key].is_null(), key);
    }

    void thisHostGivesAllOfIt() {
        TelemetrySampler sampler;
        const int self[] = {::getpid()};
        sampler.sample(self);
        QTest::qSleep(50);
        const auto sample = sampler.sample(self);
        QVERIFY(sample.cpu && *sample.cpu >= 0 && *sample.cpu <= 1);
        QVERIFY(*sample.memory_used > 0 && *sample.memory_used < *sample.memory_total);
        QVERIFY(*sample.run_memory > 1e6 && *sample.run_memory < *sample.memory_total);
    }

    void findsTheProcessesOfARun() {
        const FakeProc proc;
        proc.write("10/stat", "10 (anneal) S 1 10 10 0");
        proc.write("11/stat", "11 (engine (rank 0)) S 10 10 10 0");
        proc.write("12/stat", "12 (helper) S 11 10 10 0");
        proc.write("13/stat", "13 (other) S 1 10 10 0");
        proc.write("self/stat", "99 (x) S 10 1 1 0");
        auto tree = processTree(10, proc.path());
        std::sort(tree.begin(), tree.end());
        QCOMPARE(tree, (std::vector<int>{10, 11, 12}));
    }

    void gpusComeFromTheDriver() {
        const Nvml nvml(FAKE_NVML);
        QVERIFY(nvml.isAvailable());
        const auto gpus = nvml.sample();
        QCOMPARE(gpus.size(), std::size_t{2});
        QCOMPARE(gpus[0].name, std::string("NVIDIA H100 80GB HBM3"));
        QCOMPARE(gpus[0].uuid, std::string("GPU-1"));
        QCOMPARE(*gpus[0].utilization, 0.97);
        QCOMPARE(*gpus[0].memory_used, 31.0 * (1 << 30));
        QCOMPARE(*gpus[0].power, 612.0);
        QCOMPARE(*gpus[0].power_limit, 700.0);
        QCOMPARE(*gpus[0].temperature, 71.0);
        QCOMPARE(*gpus[0].clock, 1755.0);
        QVERIFY2(!gpus[1].utilization && !gpus[1].power && !gpus[1].clock, "refused values are null");
        QCOMPARE(*gpus[1].temperature, 71.0);
        QVERIFY2(nvml.processes(0).empty(), "the library lacks that function");
    }

    void noDriverMeansNoGpus() {
        const Nvml nvml("libno-such-driver.so.1");
        QVERIFY(!nvml.isAvailable() && nvml.sample().empty() && nvml.processes(0).empty());
        const Nvml other("libdl.so.2");
        QVERIFY2(!other.isAvailable(), "a library without the interface is no driver");
    }

    void prometheusTextIsWellFormed() {
        auto run = exampleRun();
        run.validation_loss = std::numeric_limits<double>::quiet_NaN();
        run.seconds_left = TimeLeft{60, 120};
        TelemetrySample sample;
        sample.host = "gpu-box";
        sample.cpu = 0.5;
        sample.gpus.resize(2);
        sample.gpus[0].clock = 1755;
        sample.gpus[1].index = 1;
        sample.gpus[1].clock = 1000;
        const auto text = prometheusText(run, &sample);
        QVERIFY(contains(text, "anneal_run_info{run=\"legal \\\"qa\\\"\\n1\",version=\"" ANNEAL_VERSION
                               "\",status=\"running\"} 1\n"));
        QVERIFY(contains(text, "# TYPE anneal_tokens_total counter\nanneal_tokens_total{run=\"legal "
                               "\\\"qa\\\"\\n1\"} 123456789\n"));
        QVERIFY(contains(text, "anneal_learning_rate{run=\"legal \\\"qa\\\"\\n1\"} 1e-05\n"));
        QVERIFY(contains(text, "} NaN\n") && contains(text, "anneal_remaining_seconds_high"));
        QVERIFY(contains(text, ",gpu=\"0\"} 1.755e+09\n") && contains(text, ",gpu=\"1\"} 1e+09\n"));
        QVERIFY(!contains(text, "anneal_gpu_power") && !contains(text, "anneal_cost"));
        QCOMPARE(QString::fromStdString(text).count("# TYPE anneal_gpu_clock_hertz"), 1);
        QVERIFY(!contains(prometheusText(run, nullptr), "host"));
    }

    void everyPrometheusLineFollowsTheGrammar() {
        TelemetrySample sample;
        sample.host = "h";
        sample.cpu = 0.5;
        sample.gpus.resize(1);
        sample.gpus[0].power = 1;
        const QRegularExpression comment("^# (HELP|TYPE) anneal_[a-z_]+ .+$");
        const QRegularExpression value(
            "^anneal_[a-z_]+\\{([a-z]+=\"([^\"\\\\]|\\\\.)*\",?)*\\} (NaN|[+-]?Inf|[-+0-9.e]+)$");
        const auto text = QString::fromStdString(prometheusText(exampleRun(), &sample));
        QVERIFY(text.endsWith('\n'));
        for (const auto& line : text.split('\n', Qt::SkipEmptyParts))
            QVERIFY2(comment.match(line).hasMatch() || value.match(line).hasMatch(), qPrintable(line));
    }
};

QTEST_APPLESS_MAIN(TestTelemetry)
#include "test_telemetry.moc"
