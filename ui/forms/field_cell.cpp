#include "ui/forms/field_cell.h"

#include "ui/client/text.h"
#include "ui/models/colors.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace anneal {

namespace {

QString tipText(const Field& field) {
    auto tip = "<p>" + toQt(field.help).toHtmlEscaped() + "</p><p><code>" + toQt(field.key) + "</code>";
    if (!field.choices.empty()) {
        QStringList choices;
        for (const auto& choice : field.choices)
            choices.append(toQt(choice).toHtmlEscaped());
        tip += ": " + choices.join(", ");
    }
    return tip + "</p>";
}

} // namespace

FieldCell::FieldCell(const Field& field, const ControlOptions& options, QWidget* parent)
    : QWidget(parent), control_(makeControl(field, options, this)),
      label_(new QLabel(toQt(field.label), this)), note_(new ProblemLabel(parent)) {
    auto* line = new QHBoxLayout;
    line->setSpacing(5);
    line->addWidget(control_, 1);
    if (!field.unit.empty()) {
        auto* unit = new QLabel(toQt(field.unit), this);
        unit->setForegroundRole(QPalette::PlaceholderText);
        line->addWidget(unit);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(label_);
    layout->addLayout(line);
    layout->addStretch();
    setToolTip(tipText(field));
    label_->setBuddy(control_->buddy());
    control_->buddy()->setAccessibleName(toQt(field.label));
    control_->buddy()->setAccessibleDescription(toQt(field.help));
}

void FieldCell::setProblems(const Problems& problems) {
    note_->setProblems(problems);
    const auto& colors = Colors::of(palette());
    const auto worst =
        std::min_element(problems.begin(), problems.end(),
                         [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
    const bool mark = worst != problems.end() && worst->severity != Severity::Note;
    control_->setMark(mark ? severityColor(colors, worst->severity) : QColor());
    auto description = toQt(field().help);
    for (const auto& problem : problems)
        description += " " + toQt(problem.text + " " + problem.fix);
    control_->buddy()->setAccessibleDescription(description);
}

void FieldCell::setChanged(bool changed) {
    auto font = label_->font();
    if (font.bold() == changed)
        return;
    font.setBold(changed);
    label_->setFont(font);
}

bool FieldCell::matches(const QStringList& words) const {
    auto haystack = toQt(field().key) + " " + toQt(field().label) + " " + toQt(field().help);
    for (const auto& alias : field().aliases)
        haystack += " " + toQt(alias);
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return haystack.contains(word, Qt::CaseInsensitive); });
}

} // namespace anneal
