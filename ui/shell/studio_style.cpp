#include "ui/shell/studio_style.h"

#include "ui/forms/line_controls.h"
#include "ui/models/colors.h"
#include "ui/pages/page_parts.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>

namespace anneal {

namespace {

constexpr double radius = 4;

void roundedRect(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& line) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(fill.isValid() ? QBrush(fill) : Qt::NoBrush);
    painter.setPen(line.isValid() ? QPen(line, 1) : Qt::NoPen);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter.restore();
}

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto mix = [&](int x, int y) { return static_cast<int>(x + (y - x) * share); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

bool isPrimary(const QWidget* widget) { return widget && widget->property(primaryProperty).toBool(); }

QColor buttonFill(const Colors& colors, const QStyle::State state, bool primary) {
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

void drawArrow(QPainter& painter, const QRect& rect, const QColor& color) {
    const QPointF center = QRectF(rect).center();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(QPolygonF{center + QPointF(-3.5, -1.8), center + QPointF(0, 1.8), center + QPointF(3.5, -1.8)});
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

} // namespace

StudioStyle::StudioStyle() : QProxyStyle("Fusion") {}

void StudioStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
    const auto& colors = Colors::of(option->palette);
    switch (element) {
    case PE_PanelButtonCommand:
        return drawButton(*painter, *option, isPrimary(widget));
    case PE_PanelButtonTool:
        if (const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            !tool || !(option->state & State_AutoRaise) || option->state & (State_MouseOver | State_Sunken | State_On))
            return drawButton(*painter, *option, false);
        return;
    case PE_FrameLineEdit:
        return drawInputFrame(*painter, *option, widget);
    case PE_FrameTabWidget:
    case PE_FrameTabBarBase:
    case PE_FrameStatusBarItem:
        return;
    case PE_FrameFocusRect:
        if (option->state & State_KeyboardFocusChange)
            roundedRect(*painter, option->rect, {}, colors.accent);
        return;
    case PE_Frame:
        painter->setPen(colors.border);
        painter->setBrush(Qt::NoBrush);
        return painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    case PE_IndicatorArrowDown:
        return drawArrow(*painter, option->rect, colors.muted);
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void StudioStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    switch (element) {
    case CE_PushButtonLabel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            button && isPrimary(widget) && option->state & State_Enabled) {
            auto copy = *button;
            copy.palette.setColor(QPalette::ButtonText, Colors::of(option->palette).accentText);
            return QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        break;
    case CE_TabBarTabShape:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option))
            return drawTab(*painter, *tab);
        break;
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
        return drawHeaderSection(*painter, *option);
    case CE_ProgressBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option))
            return drawProgress(*painter, *bar);
        break;
    case CE_Splitter:
        return;
    case CE_ShapedFrame:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            frame && frame->frameShape == QFrame::StyledPanel)
            return drawPrimitive(PE_Frame, option, painter, widget);
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void StudioStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                     const QWidget* widget) const {
    const auto* combo = control == CC_ComboBox ? qstyleoption_cast<const QStyleOptionComboBox*>(option) : nullptr;
    if (!combo)
        return QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (combo->editable)
        drawInputFrame(*painter, *option, widget);
    else
        drawButton(*painter, *option, false);
    const auto arrow = subControlRect(CC_ComboBox, combo, SC_ComboBoxArrow, widget);
    drawArrow(*painter, arrow, Colors::of(option->palette).muted);
}

int StudioStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_SplitterWidth:
        return 8;
    case PM_MenuButtonIndicator:
        return 14;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int StudioStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* returned) const {
    switch (hint) {
    case SH_Widget_Animation_Duration:
    case SH_Widget_Animate:
        return 0;
    case SH_ScrollBar_Transient:
        return 0;
    case SH_EtchDisabledText:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returned);
    }
}

QSize StudioStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                    const QWidget* widget) const {
    auto result = QProxyStyle::sizeFromContents(type, option, size, widget);
    const int inputHeight = option->fontMetrics.height() + 10;
    switch (type) {
    case CT_PushButton:
        return result.expandedTo({0, inputHeight}) + QSize(4, 0);
    case CT_LineEdit:
    case CT_ComboBox:
        return result.expandedTo({0, inputHeight});
    case CT_ToolButton:
        if (const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            tool && !tool->text.isEmpty() && !(option->state & State_AutoRaise))
            return result.expandedTo({0, inputHeight}) + QSize(8, 0);
        return result;
    case CT_TabBarTab:
        return result + QSize(6, 6);
    default:
        return result;
    }
}

} // namespace anneal
