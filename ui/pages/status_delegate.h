#pragma once
#include <QStyledItemDelegate>

namespace anneal {

/// A run's status in a table: a dot in the colour of the state, and the word.
class StatusDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace anneal
