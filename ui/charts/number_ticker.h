#pragma once
#include "ui/charts/qcp.h"

namespace anneal {

/// Ticks labelled like all numbers of the studio: 12,000 and 2e-4.
class NumberTicker : public QCPAxisTicker {
public:
    /// `whole`: no ticks between whole numbers.
    explicit NumberTicker(bool whole = false) : whole_(whole) { setTickCount(5); }

protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }

private:
    bool whole_;
};

/// Ticks at whole seconds, minutes or hours, labelled "40 s", "2:30" (minutes) or "1:20 h".
class TimeTicker : public QCPAxisTickerTime {
protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
    double getTickStep(const QCPRange& range) override;

private:
    double span_ = 0; ///< of the range that is labelled
};

/// Ticks of a logarithmic axis at 1, 2 and 5 times powers of ten, so that narrow ranges have some too.
class LogTicker : public QCPAxisTicker {
protected:
    QVector<double> createTickVector(double tickStep, const QCPRange& range) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
    int getSubTickCount(double) override { return 0; }
};

} // namespace anneal
