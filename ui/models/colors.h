#pragma once
#include "core/protocol/state.h"
#include "core/schema/problem.h"

#include <QColor>
#include <QPalette>

namespace anneal {

/// Every colour of the studio, for a light or a dark ground. One accent; state colours stand for states only.
struct Colors {
    bool dark = false;
    QColor window, base, raised, border, text, muted, accent, accentText, accentSoft;
    QColor good, caution, bad; ///< running or done; needs a look; failed
    QColor chartRaw, chartSmooth, chartValidation, chartBase, chartGrid;
    QColor tokenSupervised, tokenMasked;

    static const Colors& light();
    static const Colors& darkGround();
    /// Those that fit a palette.
    static const Colors& of(const QPalette& palette);
    QPalette palette() const;
};

QColor stateColor(const Colors& colors, RunStatus status);
QColor severityColor(const Colors& colors, Severity severity);
/// For people: "training" instead of "running".
QString statusText(RunStatus status);

} // namespace anneal
