#include "ui/shell/theme.h"

#include "ui/models/colors.h"
#include "ui/shell/studio_style.h"

#include <QApplication>
#include <QToolTip>

namespace anneal {

namespace {

/// Read before the first palette of ours is set. Qt 6.4 has no hint of the colour scheme, but the platform's
/// palette tells it; GTK's variable is what users set where there is no platform theme.
bool systemIsDark() {
    static const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128 ||
                             qEnvironmentVariable("GTK_THEME").endsWith(":dark");
    return dark;
}

} // namespace

bool isDark(ThemeChoice choice) {
    const bool system = systemIsDark();
    return choice == ThemeChoice::Dark || (choice == ThemeChoice::System && system);
}

void applyTheme(QApplication& application, ThemeChoice choice) {
    const auto& colors = isDark(choice) ? Colors::darkGround() : Colors::light();
    if (!qobject_cast<StudioStyle*>(application.style()))
        application.setStyle(new StudioStyle);
    application.setPalette(colors.palette());
    QToolTip::setPalette(colors.palette());
}

} // namespace anneal
