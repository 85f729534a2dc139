#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/base/system.h"
#include "core/base/text.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <set>
#include <unistd.h>

using namespace anneal;

namespace {

Result<int> half(int number) {
    if (number % 2 != 0)
        return invalidInput("odd", "Give an even number.");
    return number / 2;
}
Result<int> quarter(int number) {
    ANNEAL_TRY(const int once, half(number));
    ANNEAL_TRY(const int twice, half(once));
    return twice;
}
Status mustHalve(int number) {
    ANNEAL_CHECK(half(number));
    return {};
}

} // namespace

class TestBase : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void resultsPassErrorsUp() {
        QCOMPARE(*quarter(12), 3);
        QVERIFY(!quarter(6).ok());
        QCOMPARE(quarter(6).error().text(), std::string("odd Give an even number."));
        QVERIFY(quarter(6).error().kind == ErrorKind::InvalidInput);
        QVERIFY(mustHalve(2).ok() && !mustHalve(3).ok());
    }

    void numbersAreReadWhole_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("value");
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("exponent") << "2e-4" << 2e-4;
        QTest::newRow("plus") << "+3.5" << 3.5;
        QTest::newRow("underscore") << "1_000" << 1000.0;
        QTest::newRow("empty") << "" << none;
        QTest::newRow("rest") << "3 epochs" << none;
        QTest::newRow("comma") << "0,5" << none;
        QTest::newRow("word") << "three" << none;
    }
    void numbersAreReadWhole() {
        QFETCH(QString, text);
        QFETCH(double, value);
        const auto number = parseDouble(text.toStdString());
        QCOMPARE(number.has_value(), !std::isnan(value));
        if (number)
            QCOMPARE(*number, value);
    }

    void integersStayIntegers() {
        QCOMPARE(parseInteger("-42"), std::optional<std::int64_t>(-42));
        QCOMPARE(parseInteger("9223372036854775807"),
                 std::optional(std::numeric_limits<std::int64_t>::max()));
        QVERIFY(!parseInteger("9223372036854775808") && !parseInteger("1.0") && !parseInteger("0x10"));
    }

    void doublesReadBackTheSame() {
        for (const double value : {1e-5, 0.1, 3.0, 1.0 / 3, 1e300, -2.5e-8, 123456789.0})
            QCOMPARE(*parseDouble(formatDouble(value)), value);
        QCOMPARE(formatDouble(1e-5), std::string("1.0e-05"));
        QCOMPARE(formatDouble(3), std::string("3.0"));
        QCOMPARE(formatDouble(std::numeric_limits<double>::infinity()), std::string(".inf"));
    }

    void unitsAreForPeople() {
        QCOMPARE(formatBytes(0), std::string("0 B"));
        QCOMPARE(formatBytes(1536), std::string("1.5 KiB"));
        QCOMPARE(formatBytes(80.0 * (1 << 30)), std::string("80.0 GiB"));
        QCOMPARE(formatCount(48211), std::string("48,211"));
        QCOMPARE(formatCount(-1234567), std::string("-1,234,567"));
        QCOMPARE(formatCount(999), std::string("999"));
        QCOMPARE(formatDuration(7500), std::string("2 h 05 min"));
        QCOMPARE(formatDuration(65), std::string("1 min 05 s"));
        QCOMPARE(formatDuration(std::nan("")), std::string("-"));
    }

    void textIsCutAndJoined() {
        QCOMPARE(std::string(trim(" \t a b\r\n")), std::string("a b"));
        QVERIFY(trim(" \n").empty());
        QCOMPARE(split("a,,b", ',').size(), std::size_t{3});
        QCOMPARE(split("", ',').size(), std::size_t{1});
        const std::vector<std::string> parts{"x", "", "z"};
        QCOMPARE(join(parts, ", "), std::string("x, , z"));
    }

    void nearestForgivesTyposOnly() {
        const std::vector<std::string> words{"learning_rate", "lora.rank", "epochs"};
        QCOMPARE(nearest("learning_rte", words).value_or(""), std::string("learning_rate"));
        QCOMPARE(nearest("EPOCH", words).value_or(""), std::string("epochs"));
        QVERIFY(!nearest("xylophone", words));
    }

    void findsBadUtf8_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("offset");
        QTest::newRow("ascii") << QByteArray("plain") << -1;
        QTest::newRow("all lengths") << QByteArray("a\xC3\xB6\xE2\x82\xAC\xF0\x9F\x98\x80") << -1;
        QTest::newRow("stray byte") << QByteArray("ab\xFF") << 2;
        QTest::newRow("torn") << QByteArray("a\xE2\x82") << 1;
        QTest::newRow("overlong") << QByteArray("\xC0\xAF") << 0;
        QTest::newRow("surrogate") << QByteArray("x\xED\xA0\x80") << 1;
        QTest::newRow("too high") << QByteArray("\xF4\x90\x80\x80") << 0;
    }
    void findsBadUtf8() {
        QFETCH(QByteArray, text);
        QFETCH(int, offset);
        const auto found = findInvalidUtf8(text.toStdString());
        QCOMPARE(found ? static_cast<int>(*found) : -1, offset);
    }

    void jsonErrorsNameTheirSource() {
        const auto broken = parseJson("{\"a\": }", "rows.jsonl, line 7");
        QVERIFY(!broken.ok() && broken.error().message.find("rows.jsonl, line 7") != std::string::npos);
        QVERIFY(!parseJson(std::string(100000, '['), "deep").ok());
        QCOMPARE(dumpJson(*parseJson(R"({"z":1,"a":[true,null]})", "x")),
                 std::string(R"({"z":1,"a":[true,null]})"));
        QVERIFY(dumpJson(Json("bad \xFF byte")).find("\xEF\xBF\xBD") != std::string::npos);
    }

    void nonFiniteNumbersAreWords() {
        const double infinity = std::numeric_limits<double>::infinity();
        QCOMPARE(jsonNumber(-infinity).get<std::string>(), std::string("-Infinity"));
        QCOMPARE(numberFromJson(jsonNumber(infinity)), std::optional(infinity));
        QVERIFY(std::isnan(*numberFromJson(Json("NaN"))));
        QVERIFY(!numberFromJson(Json("1")) && !numberFromJson(Json(nullptr)));
    }

    void hashesAreXxh3() {
        QCOMPARE(hexHash(""), std::string("2d06800538d394c2")); // XXH3 of nothing, as published
        QVERIFY(hash64("a") != hash64("b") && hash64("a", 1) != hash64("a"));
        QVERIFY(Fingerprint().add("ab").add("c").hex() != Fingerprint().add("a").add("bc").hex());
    }

    void randomIsAFunctionOfItsPlace() {
        // Known answers of Philox 4x32-10 from the Random123 distribution.
        QVERIFY(philox(0, {0, 0, 0, 0}) ==
                (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        constexpr std::uint32_t ones = 0xffffffff;
        QVERIFY(philox(~0ull, {ones, ones, ones, ones}) ==
                (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        std::set<std::uint64_t> keys;
        for (const auto use :
             {RandomUse::Order, RandomUse::Dropout, RandomUse::Initialisation, RandomUse::Sampling})
            keys.insert(randomKey(42, use));
        QCOMPARE(keys.size(), std::size_t{4});
        double sum = 0;
        for (std::uint64_t i = 0; i < 10000; ++i) {
            const double value = randomUniform(7, i);
            QVERIFY(value >= 0 && value < 1);
            sum += value;
        }
        QVERIFY(std::abs(sum / 10000 - 0.5) < 0.01);
    }

    void processesAreNamedForGood() {
        const auto self = processStartTime(::getpid());
        QVERIFY(self > 0);
        QCOMPARE(processStartTime(::getpid()), self);
        QCOMPARE(processStartTime(0x7ffffff0), std::uint64_t{0});
        QVERIFY(!bootId().empty() && !hostName().empty());
    }

    void foldersFollowTheEnvironment() {
        qputenv("ANNEAL_RUNS_DIR", "/tmp/runs");
        QCOMPARE(runsFolder(), fs::path("/tmp/runs"));
        qunsetenv("ANNEAL_RUNS_DIR");
        qputenv("XDG_DATA_HOME", "/tmp/data");
        QCOMPARE(runsFolder(), fs::path("/tmp/data/anneal/runs"));
        qputenv("ANNEAL_CACHE_DIR", "");
        qputenv("XDG_CACHE_HOME", "/tmp/cache");
        QCOMPARE(cacheFolder(), fs::path("/tmp/cache/anneal"));
        qputenv("HF_HOME", "/tmp/hf");
        qunsetenv("HF_HUB_CACHE");
        QCOMPARE(hubCacheFolder(), fs::path("/tmp/hf/hub"));
        QVERIFY(fs::is_regular_file(presetsFolder() / "machines.yaml"));
    }
};

QTEST_APPLESS_MAIN(TestBase)
#include "test_base.moc"
