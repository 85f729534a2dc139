#pragma once
#include "ui/forms/field_control.h"
#include "ui/forms/problem_label.h"

#include <QLabel>

namespace anneal {

/// A setting in the form: its label, control and unit. Its problems are a label of their own, so that the
/// grid can give them the whole line below.
class FieldCell : public QWidget {
    Q_OBJECT

public:
    FieldCell(const Field& field, const ControlOptions& options, QWidget* parent);

    const Field& field() const { return control_->field(); }
    FieldControl& control() { return *control_; }
    ProblemLabel& note() { return *note_; }
    void setProblems(const Problems& problems);
    /// The value differs from the default.
    void setChanged(bool changed);
    /// Whether the words of a search are found in key, label, help or the names other tools use.
    bool matches(const QStringList& words) const;

private:
    FieldControl* control_;
    QLabel* label_;
    ProblemLabel* note_;
};

} // namespace anneal
