#pragma once
#include <QList>

class QAction;

namespace anneal {

class MainWindow;

/// Fills the menu bar; returns every action, for the palette.
QList<QAction*> buildMenus(MainWindow& window);

} // namespace anneal
