#pragma once
#include "ui/forms/field_cell.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace anneal {

/// A numbered part of the form: what is basic, and what is folded away for experts.
class FormSection : public QWidget {
    Q_OBJECT

public:
    FormSection(int number, const QString& title, QWidget* parent);

    void addField(const Field& field, const ControlOptions& options);
    const std::vector<FieldCell*>& cells() const { return cells_; }
    /// What is known about the section's subject, right of its title.
    void setFacts(const QString& facts);
    /// A button or link that stands at the right of the head.
    void addAction(QWidget* widget);
    void setUnfolded(bool unfolded);
    bool unfolded() const { return toggle_->isChecked(); }
    /// Shows the cells that `wanted` says; with `all`, expert ones too, whatever is folded.
    void showCells(const std::function<bool(const FieldCell&)>& wanted, bool all);
    /// Says how many expert settings differ from their defaults.
    void setChangedExperts(int changed);
    /// Lays out again after notes or cells came or went.
    void rearrange();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget *basic_, *expert_;
    QLabel* facts_;
    QHBoxLayout* head_;
    QToolButton* toggle_;
    std::vector<FieldCell*> cells_;
};

} // namespace anneal
