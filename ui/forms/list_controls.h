#pragma once
#include "ui/forms/field_control.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace anneal {

/// Some of a closed list: a check box each.
class ChecksControl final : public FieldControl {
    Q_OBJECT

public:
    ChecksControl(const Field& field, QWidget* parent);
    Json value() const override;
    void setValue(const Json& value) override;
    bool wide() const override { return true; }
    QWidget* buddy() override { return boxes_.front(); }

private:
    std::vector<QCheckBox*> boxes_;
};

/// Words with commas; well-known ones can be picked from a menu.
class WordsControl final : public FieldControl {
    Q_OBJECT

public:
    WordsControl(const Field& field, QWidget* parent);
    Json value() const override;
    void setValue(const Json& value) override;
    QWidget* buddy() override { return edit_; }
    void setMark(const QColor& color) override;

private:
    void addMenu();
    void toggle(const std::string& word);

    QLineEdit* edit_;
};

/// Texts, one a line.
class LinesControl final : public FieldControl {
    Q_OBJECT

public:
    LinesControl(const Field& field, QWidget* parent);
    Json value() const override;
    void setValue(const Json& value) override;
    bool wide() const override { return true; }
    QWidget* buddy() override { return edit_; }

private:
    QPlainTextEdit* edit_;
};

/// Whether one text with commas states several items of this list setting.
bool takesWords(const Field& field);

} // namespace anneal
