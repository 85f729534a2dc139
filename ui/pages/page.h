#pragma once
#include "ui/pages/studio.h"

#include <QWidget>

namespace anneal {

/// A page of the studio, reached by the rail at the left.
class Page : public QWidget {
    Q_OBJECT

public:
    explicit Page(Studio& studio, QWidget* parent = nullptr) : QWidget(parent), studio_(studio) {}

    /// Shows numbers instead of plots.
    virtual void setTableView(bool on) { Q_UNUSED(on) }
    /// What the page shows, as Markdown; empty when there is nothing to copy.
    virtual QString markdown() { return {}; }
    /// The control that is typed into first.
    virtual QWidget* firstControl() { return nullptr; }

Q_SIGNALS:
    /// A short message for the status bar.
    void said(const QString& text);

protected:
    Studio& studio_;
};

} // namespace anneal
