#pragma once
#include "ui/forms/field_control.h"

#include <QComboBox>
#include <QLineEdit>
#include <QVBoxLayout>

namespace anneal {

/// A list of data files, each with its format and weight.
class SourcesControl final : public FieldControl {
    Q_OBJECT

public:
    SourcesControl(const Field& field, const ControlOptions& options, QWidget* parent);
    Json value() const override;
    void setValue(const Json& value) override;
    bool wide() const override { return true; }
    QWidget* buddy() override;

private:
    struct Line {
        QWidget* widget;
        QLineEdit* path;
        QComboBox* format;
        QLineEdit* weight;
    };
    void addLine(const Json& source);
    void removeLine(QWidget* widget);
    void clearLines();
    void browse(QLineEdit* path);

    ControlOptions options_;
    std::vector<Line> lines_;
    QVBoxLayout* list_;
    QWidget* addButton_;
};

} // namespace anneal
