#pragma once
#include <QStyle>
#include <QStyleOption>

class QPainter;

namespace anneal {

// How the controls of the studio look: flat, framed by one line, the accent for what is on or has the focus.

void roundedRect(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& line);
void drawArrow(QPainter& painter, const QRect& rect, const QColor& color, bool up = false);
/// Whether the widget is the main button of its page.
bool isPrimary(const QWidget* widget);
void drawButton(QPainter& painter, const QStyleOption& option, bool primary);
/// A button that opens a menu: its text, and an arrow beside it.
void drawMenuButton(const QStyle& style, QPainter& painter, const QStyleOptionToolButton& option,
                    const QWidget* widget);
/// The frame of an input, in the colour of its mark if it has one.
void drawInputFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget);
void drawCheckBox(QPainter& painter, const QStyleOption& option);
void drawSlider(QPainter& painter, const QStyleOptionSlider& slider, const QRect& handle);
/// Where the parts of a scroll bar are; there are no buttons at its ends.
QRect scrollPart(const QStyleOptionSlider& bar, QStyle::SubControl part);
void drawScrollBar(QPainter& painter, const QStyleOptionSlider& bar);
void drawTab(QPainter& painter, const QStyleOptionTab& tab);
/// The sign of the sorting at the right end of a table's header section.
void drawSortArrow(QPainter& painter, const QStyleOptionHeader& header);
void drawHeaderSection(QPainter& painter, const QStyleOption& option);
void drawProgress(QPainter& painter, const QStyleOptionProgressBar& bar);
/// Selected rows are tinted, so that what is written on them keeps its colours.
QStyleOptionViewItem calmSelection(const QStyleOptionViewItem& option);

} // namespace anneal
