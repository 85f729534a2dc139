#include "ui/shell/navigation_rail.h"

#include "ui/models/colors.h"
#include "ui/pages/page_parts.h"
#include "ui/shell/icons.h"

#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace anneal {

namespace {

constexpr int railWidth = 176, itemHeight = 36;

/// An item of the rail: icon and title, the current one with a bar in the accent colour.
class RailDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {railWidth, itemHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const auto& colors = Colors::of(option.palette);
        const bool current = option.state & QStyle::State_Selected;
        const auto rect = option.rect.adjusted(8, 2, -8, -2);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (current || option.state & QStyle::State_MouseOver) {
            painter->setPen(option.state & QStyle::State_HasFocus &&
                                    option.state & QStyle::State_KeyboardFocusChange
                                ? QPen(colors.accent)
                                : QPen(Qt::NoPen));
            painter->setBrush(current ? colors.accentSoft : colors.chartGrid);
            painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        }
        index.data(Qt::DecorationRole)
            .value<QIcon>()
            .paint(painter, rect.adjusted(10, 0, 0, 0).left(), rect.center().y() - 8, 18, 18);
        painter->setPen(colors.text);
        auto font = option.font;
        font.setBold(current);
        painter->setFont(font);
        const auto text = rect.adjusted(38, 0, -10, 0);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
        painter->setPen(colors.muted);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignRight, index.data(Qt::UserRole).toString());
        painter->restore();
    }
};

} // namespace

NavigationRail::NavigationRail(QWidget* parent)
    : QWidget(parent), list_(new QListWidget(this)), machine_(new QLabel(this)),
      details_(mutedLabel({}, this)) {
    setFixedWidth(railWidth);
    list_->setItemDelegate(new RailDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setAccessibleName("Pages");
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->viewport()->setAutoFillBackground(false);
    list_->setMouseTracking(true);
    auto font = machine_->font();
    font.setBold(true);
    machine_->setFont(font);
    auto small = details_->font();
    small.setPointSizeF(std::max(7.5, small.pointSizeF() - 1));
    details_->setFont(small);
    details_->setWordWrap(true);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(16, 6, 10, 12);
    foot->setSpacing(1);
    foot->addWidget(machine_);
    foot->addWidget(details_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 10, 1, 0);
    layout->setSpacing(0);
    layout->addWidget(list_, 1);
    layout->addLayout(foot);
    connect(list_, &QListWidget::currentRowChanged, this, &NavigationRail::chosen);
}

void NavigationRail::addPage(const QString& title, const QString& icon) {
    titles_ << title;
    icons_ << icon;
    auto* item = new QListWidgetItem(title, list_);
    item->setIcon(tintedIcon(icon, Colors::of(palette()).muted));
}

void NavigationRail::setCurrent(int index) { list_->setCurrentRow(index); }

int NavigationRail::current() const { return list_->currentRow(); }

void NavigationRail::setBadge(int index, const QString& text) {
    if (auto* item = list_->item(index); item && item->data(Qt::UserRole).toString() != text)
        item->setData(Qt::UserRole, text);
}

void NavigationRail::setMachine(const QString& name, const QString& details) {
    machine_->setText(machine_->fontMetrics().elidedText(name, Qt::ElideMiddle, railWidth - 28));
    machine_->setToolTip(name);
    details_->setText(details);
}

void NavigationRail::refreshIcons() {
    for (int i = 0; i < list_->count(); ++i)
        list_->item(i)->setIcon(tintedIcon(icons_[i], Colors::of(palette()).muted));
}

void NavigationRail::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refreshIcons();
}

void NavigationRail::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(Colors::of(palette()).border);
    painter.drawLine(width() - 1, 0, width() - 1, height());
}

} // namespace anneal
