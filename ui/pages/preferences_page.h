#pragma once
#include "ui/pages/page.h"
#include "ui/pages/page_parts.h"

class QFormLayout;

namespace anneal {

/// What the user prefers; every change takes effect at once.
class PreferencesPage : public Page {
    Q_OBJECT

public:
    explicit PreferencesPage(Studio& studio, QWidget* parent = nullptr);

private:
    void addHeading(const QString& title);
    void addAppearance();
    void addCharts();
    void addRuns();

    QFormLayout* form_;
};

} // namespace anneal
