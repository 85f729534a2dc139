#pragma once
#include <QString>
#include <QVector>

#include <optional>
#include <vector>

namespace anneal {

enum class CurveStyle {
    Noisy, ///< thin raw line with a bold smoothed one over it
    Line,  ///< one plain line
    Dots,  ///< points joined by a thin line
    Faint, ///< a line that stands back
};

/// Values over steps and over seconds since the run began; all three have one length, steps ascend.
struct Curve {
    QString name;
    CurveStyle style = CurveStyle::Line;
    QVector<double> step, seconds, value;
};

/// What one chart shows.
struct ChartContent {
    std::vector<Curve> curves;
    QString stepName = QStringLiteral("Step");
    std::optional<double> baseline; ///< a dashed level
    QString baselineName;
    std::optional<qsizetype> best; ///< index of the marked point in the curve of style Dots
    std::optional<double> highest; ///< the vertical axis goes from 0 to this; else it fits the data
    double lastStep = 0;           ///< of the whole run when it is known; 0: unknown
};

enum class XAxis { Step, Time };

/// What the user decides for all charts.
struct ChartPreferences {
    double smoothing = 0.6;
    int redrawMilliseconds = 1000;
    bool antialiasing = true; ///< off over remote desktop, where it costs nine times the bytes
    bool operator==(const ChartPreferences&) const = default;
};

} // namespace anneal
