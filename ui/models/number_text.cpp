#include "ui/models/number_text.h"

#include "core/base/text.h"
#include "ui/client/text.h"

#include <QDateTime>
#include <QLocale>

#include <array>
#include <cmath>

namespace anneal::text {

namespace {

QString nonFinite(double value) {
    return std::isnan(value) ? QStringLiteral("NaN") : value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
}

/// "2e-04" -> "2e-4"
QString withoutExponentZeros(QString text) {
    text.replace("e-0", "e-");
    text.replace("e+0", "e");
    text.replace("e+", "e");
    return text;
}

QString grouped(double value, int decimals) {
    auto text = QString::number(std::abs(value), 'f', decimals);
    const auto point = text.indexOf('.');
    for (auto place = (point < 0 ? text.size() : point) - 3; place > 0; place -= 3)
        text.insert(place, ',');
    return (value < 0 && text != "0" ? "−" : "") + text;
}

struct DurationUnit {
    double seconds;
    const char* name;
};
constexpr std::array durationUnits{DurationUnit{86400, "d"}, DurationUnit{3600, "h"}, DurationUnit{60, "min"},
                                   DurationUnit{1, "s"}};

DurationUnit unitFor(double seconds) {
    for (const auto& unit : durationUnits)
        if (seconds >= 2 * unit.seconds)
            return unit;
    return durationUnits.back();
}

QDateTime local(double unixSeconds) {
    return QDateTime::fromMSecsSinceEpoch(std::llround(unixSeconds * 1000));
}

bool sameDay(double a, double b) { return local(a).date() == local(b).date(); }

} // namespace

QString count(std::optional<std::int64_t> value) { return value ? toQt(formatCount(*value)) : dash; }

QString significant(std::optional<double> value, int digits) {
    if (!value)
        return dash;
    if (!std::isfinite(*value))
        return nonFinite(*value);
    const double size = std::abs(*value);
    if (size != 0 && (size < 1e-3 || size >= 1e6))
        return withoutExponentZeros(QString::number(*value, 'e', std::max(0, digits - 2)));
    const int whole = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
    const int decimals = size < 1 ? digits - 1 : std::max(0, digits - whole);
    return grouped(*value, decimals);
}

QString rate(std::optional<double> value) {
    if (!value)
        return dash;
    if (*value == 0)
        return "0";
    const auto plain = QString::number(*value, 'g', 3);
    if (std::abs(*value) >= 1e-3 || !std::isfinite(*value))
        return plain;
    auto digits = QString::number(*value, 'e', 2);
    auto [mantissa, exponent] = std::pair(digits.section('e', 0, 0), digits.section('e', 1));
    while (mantissa.contains('.') && (mantissa.endsWith('0') || mantissa.endsWith('.')))
        mantissa.chop(1);
    return withoutExponentZeros(mantissa + "e" + exponent);
}

QString percent(std::optional<double> share, int decimals) {
    return share && std::isfinite(*share) ? grouped(*share * 100, decimals) + " %" : dash;
}

QString bytes(std::optional<double> value) {
    return value && std::isfinite(*value) ? toQt(formatBytes(*value)) : dash;
}

QString bytesPerSecond(std::optional<double> value) { return value ? bytes(value) + "/s" : dash; }

QString bytesOf(std::optional<double> used, std::optional<double> total) {
    if (!total || *total <= 0)
        return bytes(used);
    constexpr double gib = 1024.0 * 1024 * 1024;
    const int decimals = *total < 100 * gib ? 1 : 0;
    const auto inGib = [&](double value) { return QString::number(value / gib, 'f', decimals); };
    return (used ? inGib(*used) : dash) + " / " + inGib(*total) + " GiB";
}

QString duration(std::optional<double> seconds) {
    return seconds && std::isfinite(*seconds) && *seconds >= 0 ? toQt(formatDuration(*seconds)) : dash;
}

QString durationRange(const std::optional<TimeLeft>& left) {
    if (!left || !std::isfinite(left->low) || !std::isfinite(left->high))
        return dash;
    const auto unit = unitFor(left->high);
    const auto low = std::llround(left->low / unit.seconds), high = std::llround(left->high / unit.seconds);
    const auto range = low == high ? QString::number(high) : QString("%1–%2").arg(low).arg(high);
    return range + " " + unit.name;
}

QString ago(double seconds) {
    if (seconds < 1.5)
        return "now";
    const auto unit = unitFor(seconds);
    return QString("%1 %2 ago").arg(std::llround(seconds / unit.seconds)).arg(unit.name);
}

QString money(std::optional<double> amount, const std::string& currency) {
    if (!amount || !std::isfinite(*amount))
        return dash;
    const int decimals = std::abs(*amount) < 1 ? 3 : std::abs(*amount) < 1000 ? 2 : 0;
    return grouped(*amount, decimals) + " " + toQt(currency);
}

QString shortCount(std::optional<double> value) {
    if (!value)
        return dash;
    static constexpr std::array names{"", " k", " M", " B", " T"};
    double number = *value;
    std::size_t unit = 0;
    while (std::abs(number) >= 1000 && unit + 1 < names.size()) {
        number /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 ? 0 : std::abs(number) >= 100 ? 1 : 2;
    return QString::number(number, 'f', decimals) + names[unit];
}

QString moment(double unixSeconds, double now) {
    if (unixSeconds <= 0)
        return dash;
    return local(unixSeconds).toString(sameDay(unixSeconds, now) ? "HH:mm:ss" : "yyyy-MM-dd HH:mm");
}

QString clock(double unixSeconds, double now) {
    const auto time = QLocale::c().toString(local(unixSeconds).time(), "HH:mm");
    if (sameDay(unixSeconds, now))
        return time;
    const bool thisWeek = unixSeconds - now < 6.5 * 86400;
    return QLocale::c().toString(local(unixSeconds).date(), thisWeek ? "ddd" : "ddd d MMM") + " " + time;
}

} // namespace anneal::text
