#pragma once
class QWidget;

namespace anneal {

/// What this program is, its version, and under which licences it and its parts are distributed.
void showAbout(QWidget* parent);
/// All keyboard shortcuts.
void showShortcuts(QWidget* parent);

} // namespace anneal
