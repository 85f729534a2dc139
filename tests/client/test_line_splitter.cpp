#include "ui/client/line_splitter.h"

#include <QTest>

using namespace anneal;

class TestLineSplitter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void joinsPieces();
    void boundsUnfinishedLine();
    void staysLinear();
};

void TestLineSplitter::joinsPieces() {
    LineSplitter lines;
    lines.append("{\"a\"");
    QVERIFY(!lines.next());
    lines.append(": 1}\n\nrest");
    QCOMPARE(lines.next(), QByteArray("{\"a\": 1}"));
    QCOMPARE(lines.next(), QByteArray(""));
    QVERIFY(!lines.next());
    lines.append("\n");
    QCOMPARE(lines.next(), QByteArray("rest"));
    QVERIFY(!lines.next());
}

void TestLineSplitter::boundsUnfinishedLine() {
    LineSplitter lines(10);
    lines.append("0123456789");
    QVERIFY(!lines.next());
    QVERIFY(!lines.overflown());
    lines.append("x");
    QVERIFY(!lines.next());
    QVERIFY(lines.overflown());
    lines.clear();
    QVERIFY(!lines.overflown());
}

void TestLineSplitter::staysLinear() {
    LineSplitter lines;
    int found = 0;
    for (int i = 0; i < 200'000; ++i) {
        lines.append("0123456789\n");
        while (lines.next())
            ++found;
    }
    QCOMPARE(found, 200'000);
}

QTEST_GUILESS_MAIN(TestLineSplitter)
#include "test_line_splitter.moc"
