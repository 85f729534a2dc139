#pragma once
#include "ui/forms/field_control.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace anneal {

class BooleanControl final : public FieldControl {
    Q_OBJECT

public:
    BooleanControl(const Field& field, QWidget* parent);
    Json value() const override { return box_->isChecked(); }
    void setValue(const Json& value) override;
    QWidget* buddy() override { return box_; }

private:
    QCheckBox* box_;
};

/// One of several values: a closed list, or a text with well-known values to pick from.
class ChoiceControl final : public FieldControl {
    Q_OBJECT

public:
    ChoiceControl(const Field& field, QWidget* parent);
    Json value() const override;
    void setValue(const Json& value) override;
    QWidget* buddy() override { return box_; }
    void setMark(const QColor& color) override;

private:
    QComboBox* box_;
};

/// One line of text.
class TextControl : public FieldControl {
    Q_OBJECT

public:
    TextControl(const Field& field, QWidget* parent);
    Json value() const override;
    void setValue(const Json& value) override;
    QWidget* buddy() override { return edit_; }
    void setMark(const QColor& color) override;

protected:
    QLineEdit* edit_;
};

/// A number, typed as in a YAML file; up and down arrows step it.
class NumberControl final : public TextControl {
    Q_OBJECT

public:
    NumberControl(const Field& field, QWidget* parent);
    Json value() const override;
    void setValue(const Json& value) override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void step(bool up);
};

/// A path with a button that looks for it.
class PathControl final : public TextControl {
    Q_OBJECT

public:
    PathControl(const Field& field, const ControlOptions& options, QWidget* parent);
    bool wide() const override { return true; }

private:
    void browse(bool folder);
};

/// Text of several lines.
class ProseControl final : public FieldControl {
    Q_OBJECT

public:
    ProseControl(const Field& field, QWidget* parent);
    Json value() const override { return edit_->toPlainText().toStdString(); }
    void setValue(const Json& value) override;
    bool wide() const override { return true; }
    QWidget* buddy() override { return edit_; }

private:
    QPlainTextEdit* edit_;
};

/// Paints the frame of an input in `color`; an invalid colour takes the mark away.
void markInput(QWidget& input, const QColor& color);

} // namespace anneal
