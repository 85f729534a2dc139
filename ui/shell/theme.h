#pragma once
#include "ui/pages/preferences.h"

class QApplication;

namespace anneal {

/// Gives the application its style and the palette of `choice`. May be called again at any time.
void applyTheme(QApplication& application, ThemeChoice choice);

/// Whether `choice` is dark: as the system's own palette was when the program started, or as chosen.
bool isDark(ThemeChoice choice);

} // namespace anneal
