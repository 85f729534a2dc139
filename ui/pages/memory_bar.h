#pragma once
#include "ui/models/plan_answer.h"

#include <QWidget>

namespace anneal {

/// What a run needs of a device's memory, part by part, with the names below.
class MemoryBar : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// nullopt: not known.
    void setMemory(std::optional<PlanMemory> memory);
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return false; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Part {
        QString name;
        double bytes;
    };
    int lineHeight() const { return fontMetrics().height() + 2; }

    std::optional<PlanMemory> memory_;
    std::vector<Part> parts_; ///< largest first, the small ones together at the end
};

} // namespace anneal
