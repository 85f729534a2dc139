#pragma once
#include "core/schema/field_table.h"

#include <QWidget>

namespace anneal {

/// What controls may do besides editing text.
struct ControlOptions {
    bool browse = true; ///< file dialogs make sense: the files are on this machine
};

/// The control of one setting. It holds whatever the user typed; the setting's own `write` judges it.
class FieldControl : public QWidget {
    Q_OBJECT

public:
    FieldControl(const Field& field, QWidget* parent) : QWidget(parent), field_(field) {}

    const Field& field() const { return field_; }
    /// null when it is empty and the setting is optional.
    virtual Json value() const = 0;
    /// Shows a value; emits nothing.
    virtual void setValue(const Json& value) = 0;
    /// Takes a whole line of the form.
    virtual bool wide() const { return false; }
    /// What the label leads to.
    virtual QWidget* buddy() = 0;
    /// Marks what is wrong: 0 nothing, else the colour of the frame.
    virtual void setMark(const QColor& color) { Q_UNUSED(color) }

Q_SIGNALS:
    void edited();

private:
    const Field& field_;
};

/// The control that suits the kind of a setting.
FieldControl* makeControl(const Field& field, const ControlOptions& options, QWidget* parent);

/// A number as its control shows it: the shortest text that reads back as the same value, "2e-4" rather than
/// "2.0e-04".
QString editableNumber(double value);

} // namespace anneal
