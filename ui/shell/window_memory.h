#pragma once
class QMainWindow;

namespace anneal {

/// Brings the window back to where it was, as far as the screens that exist now allow.
void restoreWindow(QMainWindow& window);
void rememberWindow(const QMainWindow& window);

} // namespace anneal
