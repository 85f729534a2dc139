#pragma once
#include "ui/pages/page.h"
#include "ui/pages/page_parts.h"

class QFormLayout;
class QGroupBox;

namespace anneal {

/// What the user prefers; every change takes effect at once.
class PreferencesPage : public Page {
    Q_OBJECT

public:
    explicit PreferencesPage(Studio& studio, QWidget* parent = nullptr);

private:
    QFormLayout* addGroup(const QString& title);
    void addAppearance();
    void addCharts();
    void addRuns();
};

} // namespace anneal
