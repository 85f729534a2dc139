#include "ui/charts/number_ticker.h"

#include "ui/models/number_text.h"

#include <cmath>

namespace anneal {

namespace {

QString label(double tick) {
    if (std::abs(tick) >= 1000 && std::abs(tick) < 1e9)
        return text::count(std::llround(tick));
    return text::rate(std::abs(tick) < 1e-15 ? 0.0 : tick);
}

} // namespace

QString NumberTicker::getTickLabel(double tick, const QLocale&, QChar, int) { return label(tick); }

double NumberTicker::getTickStep(const QCPRange& range) {
    const double step = QCPAxisTicker::getTickStep(range);
    return whole_ ? std::max(1.0, std::round(step)) : step;
}

double TimeTicker::getTickStep(const QCPRange& range) {
    span_ = range.size();
    return QCPAxisTickerTime::getTickStep(range);
}

QString TimeTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    const auto seconds = std::llround(tick);
    const auto twoDigits = [](long long value) { return QString::number(value).rightJustified(2, '0'); };
    if (span_ < 120)
        return QString::number(seconds) + " s";
    if (span_ < 2 * 3600)
        return QString::number(seconds / 60) + ":" + twoDigits(seconds % 60);
    return QString::number(seconds / 3600) + ":" + twoDigits(seconds % 3600 / 60) + " h";
}

QVector<double> LogTicker::createTickVector(double, const QCPRange& range) {
    QVector<double> ticks;
    if (range.lower <= 0 || !std::isfinite(range.upper))
        return ticks;
    const bool wide = std::log10(range.upper / range.lower) > 3;
    for (double decade = std::pow(10, std::floor(std::log10(range.lower))); decade <= range.upper;
         decade *= 10)
        for (const double factor : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0})
            if (!wide || factor == 1.0)
                ticks.append(decade * factor);
    return ticks;
}

QString LogTicker::getTickLabel(double tick, const QLocale&, QChar, int) { return label(tick); }

} // namespace anneal
