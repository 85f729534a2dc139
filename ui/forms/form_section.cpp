#include "ui/forms/form_section.h"

#include "ui/forms/field_grid.h"
#include "ui/models/colors.h"

#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace anneal {

namespace {

QLabel* titleLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    auto font = label->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 1.1);
    label->setFont(font);
    return label;
}

QWidget* gridWidget(QWidget* parent) {
    auto* widget = new QWidget(parent);
    new FieldGrid(widget);
    auto policy = widget->sizePolicy();
    policy.setHeightForWidth(true);
    policy.setVerticalPolicy(QSizePolicy::Minimum);
    widget->setSizePolicy(policy);
    return widget;
}

} // namespace

FormSection::FormSection(int number, const QString& title, QWidget* parent)
    : QWidget(parent), basic_(gridWidget(this)), expert_(gridWidget(this)), facts_(new QLabel(this)),
      head_(new QHBoxLayout), toggle_(new QToolButton(this)) {
    facts_->setForegroundRole(QPalette::PlaceholderText);
    facts_->setTextFormat(Qt::PlainText);
    facts_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    head_->setSpacing(12);
    head_->addWidget(titleLabel(QString::number(number) + "  " + title, this));
    head_->addWidget(facts_, 1);
    toggle_->setCheckable(true);
    toggle_->setAutoRaise(true);
    toggle_->setArrowType(Qt::RightArrow);
    toggle_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    toggle_->hide();
    expert_->hide();
    connect(toggle_, &QToolButton::toggled, this, [this](bool on) {
        toggle_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        expert_->setVisible(on);
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 12, 0, 8);
    layout->setSpacing(8);
    layout->addLayout(head_);
    layout->addWidget(basic_);
    layout->addWidget(toggle_, 0, Qt::AlignLeft);
    layout->addWidget(expert_);
}

/// A line above, where a section comes before.
void FormSection::paintEvent(QPaintEvent*) {
    if (y() == 0)
        return;
    QPainter painter(this);
    painter.fillRect(0, 0, width(), 1, Colors::of(palette()).border);
}

void FormSection::addField(const Field& field, const ControlOptions& options) {
    const bool expert = field.level == FieldLevel::Expert;
    auto* home = expert ? expert_ : basic_;
    auto* cell = new FieldCell(field, options, home);
    static_cast<FieldGrid*>(home->layout())->addCell(cell);
    cells_.push_back(cell);
    if (expert)
        toggle_->show();
}

void FormSection::setFacts(const QString& facts) {
    facts_->setText(facts);
    facts_->setToolTip(facts);
}

void FormSection::addAction(QWidget* widget) { head_->addWidget(widget); }

void FormSection::setUnfolded(bool unfolded) { toggle_->setChecked(unfolded); }

void FormSection::showCells(const std::function<bool(const FieldCell&)>& wanted, bool all) {
    bool anyBasic = false, anyExpert = false;
    for (auto* cell : cells_) {
        const bool show = wanted(*cell);
        cell->setVisible(show);
        cell->note().setVisible(show && !cell->note().problems().empty());
        (cell->field().level == FieldLevel::Expert ? anyExpert : anyBasic) |= show;
    }
    basic_->setVisible(anyBasic);
    toggle_->setVisible(anyExpert && !all);
    expert_->setVisible(anyExpert && (all || toggle_->isChecked()));
    setVisible(anyBasic || anyExpert);
    rearrange();
}

void FormSection::setChangedExperts(int changed) {
    const auto experts = std::count_if(cells_.begin(), cells_.end(), [](const FieldCell* cell) {
        return cell->field().level == FieldLevel::Expert;
    });
    auto text = QString("Expert settings (%1)").arg(experts);
    if (changed > 0)
        text += QString(", %1 changed").arg(changed);
    toggle_->setText(text);
}

void FormSection::rearrange() {
    for (auto* widget : {basic_, expert_}) {
        widget->layout()->invalidate();
        widget->updateGeometry();
    }
}

} // namespace anneal
