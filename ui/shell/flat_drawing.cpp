#include "ui/shell/flat_drawing.h"

#include "ui/models/colors.h"
#include "ui/models/style_properties.h"

#include <QPainter>
#include <QWidget>

#include <algorithm>

namespace anneal {

static constexpr double radius = 4;

void roundedRect(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& line) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(fill.isValid() ? QBrush(fill) : Qt::NoBrush);
    painter.setPen(line.isValid() ? QPen(line, 1) : Qt::NoPen);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter.restore();
}

static QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto mix = [&](int x, int y) { return static_cast<int>(x + (y - x) * share); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

bool isPrimary(const QWidget* widget) { return widget && widget->property(primaryProperty).toBool(); }

static QColor buttonFill(const Colors& colors, const QStyle::State state, bool primary) {
    const bool enabled = state & QStyle::State_Enabled;
    auto fill = primary && enabled ? colors.accent : colors.raised;
    if (!enabled)
        return colors.window;
    if (state & (QStyle::State_Sunken | QStyle::State_On))
        return mixed(fill, colors.text, 0.14);
    if (state & QStyle::State_MouseOver)
        return mixed(fill, colors.text, 0.06);
    return fill;
}

void drawButton(QPainter& painter, const QStyleOption& option, bool primary) {
    const auto& colors = Colors::of(option.palette);
    const bool enabled = option.state & QStyle::State_Enabled, focus = option.state & QStyle::State_HasFocus;
    const auto line = primary && enabled ? mixed(colors.accent, colors.text, focus ? 0.5 : 0.12)
                      : focus            ? colors.accent
                                         : colors.border;
    roundedRect(painter, option.rect, buttonFill(colors, option.state, primary), line);
}

void drawInputFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const auto& colors = Colors::of(option.palette);
    const bool enabled = option.state & QStyle::State_Enabled;
    auto line = option.state & QStyle::State_HasFocus ? colors.accent : colors.border;
    if (widget)
        if (const auto mark = widget->property(markProperty).value<QColor>(); mark.isValid())
            line = mark;
    roundedRect(painter, option.rect, enabled ? colors.base : colors.window, line);
}

void drawArrow(QPainter& painter, const QRect& rect, const QColor& color, bool up) {
    const QPointF center = QRectF(rect).center();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const double tip = up ? -1.8 : 1.8;
    painter.drawPolyline(
        QPolygonF{center + QPointF(-3.5, -tip), center + QPointF(0, tip), center + QPointF(3.5, -tip)});
    painter.restore();
}

void drawMenuButton(const QStyle& style, QPainter& painter, const QStyleOptionToolButton& option,
                    const QWidget* widget) {
    style.drawPrimitive(QStyle::PE_PanelButtonTool, &option, &painter, widget);
    auto label = option;
    label.features &= ~QStyleOptionToolButton::HasMenu;
    const bool arrow = !widget || !widget->property(noArrowProperty).toBool();
    if (arrow)
        label.rect.adjust(2, 0, -14, 0);
    style.drawControl(QStyle::CE_ToolButtonLabel, &label, &painter, widget);
    if (arrow)
        drawArrow(painter, QRect(option.rect.right() - 16, option.rect.top(), 10, option.rect.height()),
                  Colors::of(option.palette).muted);
}

QStyleOptionViewItem calmSelection(const QStyleOptionViewItem& option) {
    const auto& colors = Colors::of(option.palette);
    auto copy = option;
    copy.palette.setColor(QPalette::Highlight, colors.accentSoft);
    copy.palette.setColor(QPalette::HighlightedText, colors.text);
    return copy;
}

/// Where the handle of a scroll bar is; there are no buttons at its ends.
static QRect scrollHandle(const QStyleOptionSlider& bar) {
    const bool flat = bar.orientation == Qt::Horizontal;
    const int length = flat ? bar.rect.width() : bar.rect.height();
    const auto range = static_cast<double>(bar.maximum) - bar.minimum;
    const int handle =
        range > 0 ? std::clamp(static_cast<int>(length * bar.pageStep / (range + bar.pageStep)), 28, length)
                  : length;
    const int place = QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition,
                                                      length - handle, bar.upsideDown);
    return flat ? QRect(bar.rect.left() + place, bar.rect.top(), handle, bar.rect.height())
                : QRect(bar.rect.left(), bar.rect.top() + place, bar.rect.width(), handle);
}

QRect scrollPart(const QStyleOptionSlider& bar, QStyle::SubControl part) {
    const auto handle = scrollHandle(bar);
    auto before = bar.rect, after = bar.rect;
    if (bar.orientation == Qt::Horizontal) {
        before.setRight(handle.left() - 1);
        after.setLeft(handle.right() + 1);
    } else {
        before.setBottom(handle.top() - 1);
        after.setTop(handle.bottom() + 1);
    }
    switch (part) {
    case QStyle::SC_ScrollBarSlider: return handle;
    case QStyle::SC_ScrollBarGroove: return bar.rect;
    case QStyle::SC_ScrollBarSubPage: return before;
    case QStyle::SC_ScrollBarAddPage: return after;
    default: return {};
    }
}

void drawScrollBar(QPainter& painter, const QStyleOptionSlider& bar) {
    const auto& colors = Colors::of(bar.palette);
    if (bar.maximum <= bar.minimum)
        return;
    const bool held = bar.state & QStyle::State_Sunken && bar.activeSubControls & QStyle::SC_ScrollBarSlider;
    const bool over = bar.state & QStyle::State_MouseOver;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(mixed(colors.border, colors.muted, held ? 0.8 : over ? 0.45 : 0.1));
    painter.drawRoundedRect(scrollHandle(bar).adjusted(3, 3, -3, -3), 3, 3);
    painter.restore();
}

void drawCheckBox(QPainter& painter, const QStyleOption& option) {
    const auto& colors = Colors::of(option.palette);
    const bool enabled = option.state & QStyle::State_Enabled, focus = option.state & QStyle::State_HasFocus;
    const bool on = option.state & QStyle::State_On;
    const auto box = option.rect.adjusted(0, 0, -1, -1);
    const auto line = (on && enabled) || focus ? colors.accent : mixed(colors.border, colors.muted, 0.5);
    roundedRect(painter, box, !enabled ? colors.window : on ? colors.accent : colors.base, line);
    if (!on)
        return;
    const QPointF middle = QRectF(box).center();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(
        QPen(enabled ? colors.accentText : colors.muted, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(
        QPolygonF{middle + QPointF(-3, 0.2), middle + QPointF(-0.8, 2.6), middle + QPointF(3.4, -2.4)});
    painter.restore();
}

void drawSlider(QPainter& painter, const QStyleOptionSlider& slider, const QRect& handle) {
    const auto& colors = Colors::of(slider.palette);
    const int middle = slider.rect.center().y(), left = slider.rect.left() + 2;
    painter.fillRect(left, middle - 1, slider.rect.width() - 4, 3, colors.border);
    painter.fillRect(left, middle - 1, handle.center().x() - left, 3, colors.accent);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(slider.state & QStyle::State_HasFocus ? colors.text : colors.accent, 1.5));
    painter.setBrush(colors.base);
    painter.drawEllipse(QRectF(handle.center().x() - 5, middle - 5, 11, 11));
    painter.restore();
}

void drawTab(QPainter& painter, const QStyleOptionTab& tab) {
    const auto& colors = Colors::of(tab.palette);
    painter.fillRect(tab.rect, colors.window);
    const auto line = tab.rect.adjusted(4, tab.rect.height() - 2, -4, 0);
    if (tab.state & QStyle::State_Selected)
        painter.fillRect(line, colors.accent);
    else if (tab.state & QStyle::State_MouseOver)
        painter.fillRect(line, colors.border);
}

void drawSortArrow(QPainter& painter, const QStyleOptionHeader& header) {
    if (header.sortIndicator == QStyleOptionHeader::None)
        return;
    const auto& colors = Colors::of(header.palette);
    const QRect place(header.rect.right() - 16, header.rect.top(), 10, header.rect.height());
    drawArrow(painter, place, colors.muted, header.sortIndicator == QStyleOptionHeader::SortUp);
}

void drawHeaderSection(QPainter& painter, const QStyleOption& option) {
    const auto& colors = Colors::of(option.palette);
    painter.fillRect(option.rect, colors.window);
    painter.setPen(colors.border);
    painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
}

void drawProgress(QPainter& painter, const QStyleOptionProgressBar& bar) {
    const auto& colors = Colors::of(bar.palette);
    painter.fillRect(bar.rect, colors.chartGrid);
    auto done = bar.rect;
    const double span = std::max(1, bar.maximum - bar.minimum);
    done.setWidth(static_cast<int>(done.width() * (bar.progress - bar.minimum) / span));
    painter.fillRect(done, colors.accent);
}

} // namespace anneal
