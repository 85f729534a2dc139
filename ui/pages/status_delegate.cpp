#include "ui/pages/status_delegate.h"

#include "ui/client/text.h"
#include "ui/models/colors.h"

#include <QApplication>
#include <QPainter>

namespace anneal {

namespace {
constexpr int dotSize = 8, dotGap = 6, margin = 7;
}

void StatusDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
    auto item = option;
    initStyleOption(&item, index);
    const auto status = statusFromName(toStd(item.text)).value_or(RunStatus::Queued);
    item.text.clear();
    const auto* style = item.widget ? item.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);

    const auto& colors = Colors::of(item.palette);
    const auto area = item.rect.adjusted(margin, 0, -margin, 0);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(stateColor(colors, status));
    painter->drawEllipse(QRect(area.left(), area.center().y() - dotSize / 2 + 1, dotSize, dotSize));
    painter->setPen(colors.text);
    painter->setFont(item.font);
    painter->drawText(area.adjusted(dotSize + dotGap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                      statusText(status));
    painter->restore();
}

QSize StatusDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(dotSize + dotGap, 0);
}

} // namespace anneal
