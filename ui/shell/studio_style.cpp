#include "ui/shell/studio_style.h"

#include "ui/models/colors.h"
#include "ui/models/style_properties.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>

#include <algorithm>

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
    painter.drawPolyline(
        QPolygonF{center + QPointF(-3.5, -1.8), center + QPointF(0, 1.8), center + QPointF(3.5, -1.8)});
    painter.restore();
}

/// A button that opens a menu: its text, and an arrow beside it.
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

/// Selected rows are tinted, so that what is written on them keeps its colours.
QStyleOptionViewItem calmSelection(const QStyleOptionViewItem& option) {
    const auto& colors = Colors::of(option.palette);
    auto copy = option;
    copy.palette.setColor(QPalette::Highlight, colors.accentSoft);
    copy.palette.setColor(QPalette::HighlightedText, colors.text);
    return copy;
}

/// Where the handle of a scroll bar is; there are no buttons at its ends.
QRect scrollHandle(const QStyleOptionSlider& bar) {
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
    case QStyle::SC_ScrollBarSlider:
        return handle;
    case QStyle::SC_ScrollBarGroove:
        return bar.rect;
    case QStyle::SC_ScrollBarSubPage:
        return before;
    case QStyle::SC_ScrollBarAddPage:
        return after;
    default:
        return {};
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
            !tool || !(option->state & State_AutoRaise) ||
            option->state & (State_MouseOver | State_Sunken | State_On))
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
    case PE_PanelItemViewRow:
    case PE_PanelItemViewItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
            const auto copy = calmSelection(*item);
            return QProxyStyle::drawPrimitive(element, &copy, painter, widget);
        }
        break;
    case PE_IndicatorArrowDown:
        return drawArrow(*painter, option->rect, colors.muted);
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
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
    case CE_ItemViewItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
            const auto copy = calmSelection(*item);
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

void StudioStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                     QPainter* painter, const QWidget* widget) const {
    const auto* tool =
        control == CC_ToolButton ? qstyleoption_cast<const QStyleOptionToolButton*>(option) : nullptr;
    if (tool && tool->features & QStyleOptionToolButton::HasMenu &&
        !(tool->features & QStyleOptionToolButton::MenuButtonPopup))
        return drawMenuButton(*proxy(), *painter, *tool, widget);
    if (const auto* bar =
            control == CC_ScrollBar ? qstyleoption_cast<const QStyleOptionSlider*>(option) : nullptr)
        return drawScrollBar(*painter, *bar);
    const auto* combo =
        control == CC_ComboBox ? qstyleoption_cast<const QStyleOptionComboBox*>(option) : nullptr;
    if (!combo)
        return QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (combo->editable)
        drawInputFrame(*painter, *option, widget);
    else
        drawButton(*painter, *option, false);
    const auto arrow = subControlRect(CC_ComboBox, combo, SC_ComboBoxArrow, widget);
    drawArrow(*painter, arrow, Colors::of(option->palette).muted);
}

QRect StudioStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                  const QWidget* widget) const {
    if (const auto* bar =
            control == CC_ScrollBar ? qstyleoption_cast<const QStyleOptionSlider*>(option) : nullptr)
        return scrollPart(*bar, part);
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QRect StudioStyle::subElementRect(SubElement element, const QStyleOption* option,
                                  const QWidget* widget) const {
    const auto rect = QProxyStyle::subElementRect(element, option, widget);
    const auto* frame =
        element == SE_LineEditContents ? qstyleoption_cast<const QStyleOptionFrame*>(option) : nullptr;
    return frame && frame->lineWidth > 0 ? rect.adjusted(3, 0, -3, 0) : rect;
}

int StudioStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_SplitterWidth:
        return 8;
    case PM_MenuButtonIndicator:
        return 14;
    case PM_FocusFrameHMargin: // beside the text of table cells
        return 6;
    case PM_HeaderMargin:
        return 7;
    case PM_ScrollBarExtent:
        return 12;
    case PM_ScrollBarSliderMin:
        return 28;
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
            return result.expandedTo({0, inputHeight}) +
                   QSize(tool->features & QStyleOptionToolButton::HasMenu ? 14 : 8, 0);
        return result;
    case CT_TabBarTab:
        return result + QSize(6, 6);
    default:
        return result;
    }
}

} // namespace anneal
