#include "ui/shell/studio_style.h"

#include "ui/models/colors.h"
#include "ui/models/style_properties.h"
#include "ui/shell/flat_drawing.h"

#include <QPainter>
#include <QStyleOption>

namespace anneal {

StudioStyle::StudioStyle() : QProxyStyle("Fusion") {}

void StudioStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
    const auto& colors = Colors::of(option->palette);
    switch (element) {
    case PE_PanelButtonCommand: return drawButton(*painter, *option, isPrimary(widget));
    case PE_PanelButtonTool:
        if (const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            !tool || !(option->state & State_AutoRaise) ||
            option->state & (State_MouseOver | State_Sunken | State_On))
            return drawButton(*painter, *option, false);
        return;
    case PE_FrameLineEdit: return drawInputFrame(*painter, *option, widget);
    case PE_FrameTabWidget:
    case PE_FrameTabBarBase:
    case PE_FrameStatusBarItem: return;
    case PE_FrameFocusRect:
        if (option->state & State_KeyboardFocusChange)
            roundedRect(*painter, option->rect, {}, colors.accent);
        return;
    case PE_Frame:
        painter->setPen(colors.border);
        painter->setBrush(Qt::NoBrush);
        return painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    case PE_IndicatorCheckBox: return drawCheckBox(*painter, *option);
    case PE_PanelItemViewRow:
    case PE_PanelItemViewItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
            const auto copy = calmSelection(*item);
            return QProxyStyle::drawPrimitive(element, &copy, painter, widget);
        }
        break;
    case PE_IndicatorArrowDown: return drawArrow(*painter, option->rect, colors.muted);
    default: break;
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
    case CE_Header:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            drawHeaderSection(*painter, *option);
            drawSortArrow(*painter, *header);
            auto label = *header;
            label.rect = subElementRect(SE_HeaderLabel, option, widget);
            return drawControl(CE_HeaderLabel, &label, painter, widget);
        }
        break;
    case CE_HeaderSection:
    case CE_HeaderEmptyArea: return drawHeaderSection(*painter, *option);
    case CE_ProgressBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option))
            return drawProgress(*painter, *bar);
        break;
    case CE_Splitter: return;
    case CE_ShapedFrame:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            frame && frame->frameShape == QFrame::StyledPanel)
            return drawPrimitive(PE_Frame, option, painter, widget);
        break;
    default: break;
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
    if (const auto* slider =
            control == CC_Slider ? qstyleoption_cast<const QStyleOptionSlider*>(option) : nullptr;
        slider && slider->orientation == Qt::Horizontal)
        return drawSlider(*painter, *slider, subControlRect(CC_Slider, slider, SC_SliderHandle, widget));
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
    case PM_SplitterWidth: return 8;
    case PM_MenuButtonIndicator: return 14;
    case PM_FocusFrameHMargin: // beside the text of table cells
        return 6;
    case PM_HeaderMargin: return 7;
    case PM_ScrollBarExtent: return 12;
    case PM_ScrollBarSliderMin: return 28;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical: return 0;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int StudioStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* returned) const {
    switch (hint) {
    case SH_Widget_Animation_Duration:
    case SH_Widget_Animate: return 0;
    case SH_ScrollBar_Transient: return 0;
    case SH_EtchDisabledText: return 0;
    default: return QProxyStyle::styleHint(hint, option, widget, returned);
    }
}

QSize StudioStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                    const QWidget* widget) const {
    auto result = QProxyStyle::sizeFromContents(type, option, size, widget);
    const int inputHeight = option->fontMetrics.height() + 10;
    switch (type) {
    case CT_PushButton: return result.expandedTo({0, inputHeight}) + QSize(4, 0);
    case CT_LineEdit:
    case CT_ComboBox: return result.expandedTo({0, inputHeight});
    case CT_ToolButton:
        if (const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            tool && !tool->text.isEmpty() && !(option->state & State_AutoRaise))
            return result.expandedTo({0, inputHeight}) +
                   QSize(tool->features & QStyleOptionToolButton::HasMenu ? 14 : 8, 0);
        return result;
    case CT_TabBarTab: return result + QSize(6, 6);
    default: return result;
    }
}

} // namespace anneal
