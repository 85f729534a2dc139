#pragma once
#include <QObject>

#include <functional>

class QWidget;

namespace anneal {

/// Calls `done` once, after the window has been painted for the first time.
void afterFirstPaint(QWidget& window, std::function<void()> done);

/// Milliseconds since this process began, by the kernel's clock.
double millisecondsSinceStart();

} // namespace anneal
