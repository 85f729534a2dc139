#include "ui/models/colors.h"

#include "ui/client/text.h"

namespace anneal {

const Colors& Colors::light() {
    static const Colors colors{
        .dark = false,
        .window = "#f4f5f7",
        .base = "#ffffff",
        .raised = "#ffffff",
        .border = "#d5d9df",
        .text = "#1c2127",
        .muted = "#5f6975",
        .accent = "#2b62c4",
        .accentText = "#ffffff",
        .accentSoft = "#dfe8f8",
        .good = "#1f8a4c",
        .caution = "#a86500",
        .bad = "#c0322b",
        .chartRaw = "#a9bfe6",
        .chartSmooth = "#2b62c4",
        .chartValidation = "#1c2127",
        .chartBase = "#7b8591",
        .chartGrid = "#e7eaee",
        .tokenSupervised = "#cfe0fb",
        .tokenMasked = "#eceef1",
    };
    return colors;
}

const Colors& Colors::darkGround() {
    static const Colors colors{
        .dark = true,
        .window = "#1a1d21",
        .base = "#212529",
        .raised = "#262b30",
        .border = "#3a4149",
        .text = "#e3e6ea",
        .muted = "#98a2ad",
        .accent = "#6d9bf1",
        .accentText = "#10141a",
        .accentSoft = "#2a3a57",
        .good = "#55c184",
        .caution = "#e0a13c",
        .bad = "#f0736a",
        .chartRaw = "#41587f",
        .chartSmooth = "#7fa8f5",
        .chartValidation = "#f2f4f7",
        .chartBase = "#8b95a1",
        .chartGrid = "#2e343a",
        .tokenSupervised = "#2c4573",
        .tokenMasked = "#2b3036",
    };
    return colors;
}

const Colors& Colors::of(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < 128 ? darkGround() : light();
}

QPalette Colors::palette() const {
    QPalette result;
    result.setColor(QPalette::Window, window);
    result.setColor(QPalette::WindowText, text);
    result.setColor(QPalette::Base, base);
    result.setColor(QPalette::AlternateBase, dark ? base.lighter(108) : QColor("#f8f9fa"));
    result.setColor(QPalette::Text, text);
    result.setColor(QPalette::PlaceholderText, muted);
    result.setColor(QPalette::Button, raised);
    result.setColor(QPalette::ButtonText, text);
    result.setColor(QPalette::BrightText, bad);
    result.setColor(QPalette::Highlight, accent);
    result.setColor(QPalette::HighlightedText, accentText);
    result.setColor(QPalette::Link, accent);
    result.setColor(QPalette::LinkVisited, accent);
    result.setColor(QPalette::ToolTipBase, raised);
    result.setColor(QPalette::ToolTipText, text);
    result.setColor(QPalette::Light, dark ? raised.lighter(120) : QColor("#ffffff"));
    result.setColor(QPalette::Midlight, dark ? raised : QColor("#eef0f3"));
    result.setColor(QPalette::Mid, border);
    result.setColor(QPalette::Dark, dark ? QColor("#111316") : QColor("#b4bac2"));
    result.setColor(QPalette::Shadow, dark ? QColor("#000000") : QColor("#8a929c"));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        result.setColor(QPalette::Disabled, role, dark ? QColor("#6b747e") : QColor("#9aa2ab"));
    result.setColor(QPalette::Disabled, QPalette::Highlight, border);
    return result;
}

QColor stateColor(const Colors& colors, RunStatus status) {
    switch (status) {
    case RunStatus::Preparing:
    case RunStatus::Running:
    case RunStatus::Finished: return colors.good;
    case RunStatus::Paused:
    case RunStatus::Stopping:
    case RunStatus::Interrupted: return colors.caution;
    case RunStatus::Failed: return colors.bad;
    case RunStatus::Queued:
    case RunStatus::Stopped: break;
    }
    return colors.muted;
}

QColor severityColor(const Colors& colors, Severity severity) {
    return severity == Severity::Error     ? colors.bad
           : severity == Severity::Warning ? colors.caution
                                           : colors.muted;
}

QString statusText(RunStatus status) {
    return status == RunStatus::Running ? QStringLiteral("training") : toQt(statusName(status));
}

} // namespace anneal
