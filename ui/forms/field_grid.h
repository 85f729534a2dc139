#pragma once
#include "ui/forms/field_cell.h"

#include <QLayout>

namespace anneal {

/// Lays cells out in as many equal columns as fit; a wide cell and the problems of a line take the whole
/// line.
class FieldGrid : public QLayout {
public:
    explicit FieldGrid(QWidget* parent);
    ~FieldGrid() override;

    void addCell(FieldCell* cell);

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    struct Line {
        std::vector<FieldCell*> cells;
        bool wide = false;
    };
    std::vector<Line> lines(int width) const;
    int columns(int width) const;
    /// Places everything and returns the height; `place` false: only measures.
    int arrange(const QRect& rect, bool place) const;

    std::vector<QLayoutItem*> items_;
    std::vector<FieldCell*> cells_;
};

} // namespace anneal
