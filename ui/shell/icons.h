#pragma once
#include <QIcon>

namespace anneal {

/// The icon resources/icons/NAME.svg, drawn in one colour.
QIcon tintedIcon(const QString& name, const QColor& color);
/// The program's own icon.
QIcon programIcon();

} // namespace anneal
