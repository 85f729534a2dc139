#pragma once
#include "core/protocol/state.h"

#include <QString>

#include <optional>

namespace anneal::text {

// Numbers for people: grouped digits, units, and a dash for what is not known. Independent of the locale, as
// all output of the program is.

inline const QString dash = QStringLiteral("–");

QString count(std::optional<std::int64_t> value);
/// So many significant digits in plain or exponent form: 1.412, 0.0183, 2e-4.
QString significant(std::optional<double> value, int digits = 4);
/// A loss: four significant digits, or NaN.
inline QString loss(std::optional<double> value) { return significant(value, 4); }
/// A learning rate in its shortest form: 2e-4.
QString rate(std::optional<double> value);
QString percent(std::optional<double> share, int decimals = 0);
QString bytes(std::optional<double> value);
QString bytesPerSecond(std::optional<double> value);
/// "3.1 / 80 GiB": both in the unit of the second.
QString bytesOf(std::optional<double> used, std::optional<double> total);
QString duration(std::optional<double> seconds);
/// "17-20 h", "about 3 min"
QString durationRange(const std::optional<TimeLeft>& left);
/// "41 s ago"
QString ago(double seconds);
QString money(std::optional<double> amount, const std::string& currency);
/// "12.3 M", "1.2 B"
QString shortCount(std::optional<double> value);
/// Local date and time of unix seconds; the date is left out for today.
QString moment(double unixSeconds, double now);
/// Hours and minutes of unix seconds, with the weekday when it is not today.
QString clock(double unixSeconds, double now);

} // namespace anneal::text
