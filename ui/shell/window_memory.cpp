#include "ui/shell/window_memory.h"

#include <QGuiApplication>
#include <QMainWindow>
#include <QScreen>
#include <QSettings>

namespace anneal {

namespace {

constexpr const char* geometryKey = "window_geometry";
constexpr QSize usualSize(1360, 860);

/// The screen may have vanished, or come back at another size.
void keepOnScreen(QMainWindow& window) {
    const auto* screen = window.screen() ? window.screen() : QGuiApplication::primaryScreen();
    if (!screen)
        return;
    const auto free = screen->availableGeometry();
    if (free.isEmpty())
        return;
    window.resize(window.size().boundedTo(free.size()));
    if (!free.intersects(window.geometry().adjusted(40, 40, -40, -40)))
        window.move(free.topLeft());
}

} // namespace

void restoreWindow(QMainWindow& window) {
    const auto geometry = QSettings().value(geometryKey).toByteArray();
    if (geometry.isEmpty() || !window.restoreGeometry(geometry))
        window.resize(usualSize);
    keepOnScreen(window);
}

void rememberWindow(const QMainWindow& window) { QSettings().setValue(geometryKey, window.saveGeometry()); }

} // namespace anneal
