#include "ui/models/number_text.h"

#include <QTest>

#include <cmath>

using namespace anneal;

class TestNumberText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unknownIsADash();
    void significantDigits_data();
    void significantDigits();
    void rates();
    void amounts();
    void ranges();
};

void TestNumberText::unknownIsADash() {
    QCOMPARE(text::loss(std::nullopt), text::dash);
    QCOMPARE(text::count(std::nullopt), text::dash);
    QCOMPARE(text::bytes(std::nullopt), text::dash);
    QCOMPARE(text::money(std::nullopt, "USD"), text::dash);
    QCOMPARE(text::durationRange(std::nullopt), text::dash);
    QCOMPARE(text::bytesOf(std::nullopt, std::nullopt), text::dash);
}

void TestNumberText::significantDigits_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("expected");
    QTest::newRow("loss") << 1.4123456 << "1.412";
    QTest::newRow("below one") << 0.018349 << "0.018";
    QTest::newRow("zero") << 0.0 << "0.000";
    QTest::newRow("tens") << 31.256 << "31.26";
    QTest::newRow("thousands") << 2310.4 << "2,310";
    QTest::newRow("small") << 1.234e-5 << "1.23e-5";
    QTest::newRow("nan") << std::nan("") << "NaN";
}

void TestNumberText::significantDigits() {
    QFETCH(double, value);
    QFETCH(QString, expected);
    QCOMPARE(text::significant(value), expected);
}

void TestNumberText::rates() {
    QCOMPARE(text::rate(2e-4), QString("2e-4"));
    QCOMPARE(text::rate(1.25e-5), QString("1.25e-5"));
    QCOMPARE(text::rate(0.03), QString("0.03"));
    QCOMPARE(text::rate(0.0), QString("0"));
}

void TestNumberText::amounts() {
    QCOMPARE(text::count(48211), QString("48,211"));
    QCOMPARE(text::shortCount(134'515'008.0), QString("134.5 M"));
    QCOMPARE(text::shortCount(68.98e9), QString("68.98 B"));
    QCOMPARE(text::money(1870.4, "USD"), QString("1,870 USD"));
    QCOMPARE(text::money(0.0123, "USD"), QString("0.012 USD"));
    QCOMPARE(text::bytesOf(31.0 * 1073741824, 80.0 * 1073741824), QString("31.0 / 80.0 GiB"));
    QCOMPARE(text::percent(0.97), QString("97 %"));
}

void TestNumberText::ranges() {
    QCOMPARE(text::durationRange(TimeLeft{61'000, 72'000}), QString("17–20 h"));
    QCOMPARE(text::durationRange(TimeLeft{400, 405}), QString("7 min"));
    QCOMPARE(text::ago(41), QString("41 s ago"));
    QCOMPARE(text::ago(14 * 60), QString("14 min ago"));
}

QTEST_GUILESS_MAIN(TestNumberText)
#include "test_number_text.moc"
