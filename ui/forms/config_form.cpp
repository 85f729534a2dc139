#include "ui/forms/config_form.h"

#include "ui/client/text.h"
#include "ui/forms/condition.h"
#include "ui/forms/proposed_fix.h"

#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace anneal {

namespace {

struct SectionPlan {
    const char* title;
    std::vector<std::string_view> groups;
};

/// The order of the work; a group that is not named here comes into the last section.
const std::vector<SectionPlan>& sectionPlans() {
    static const std::vector<SectionPlan> plans{
        {"Model", {"Model"}},
        {"Data", {"Data"}},
        {"LoRA", {"LoRA"}},
        {"Training", {"Training"}},
        {"Evaluation and checkpoints", {"Evaluation", "Checkpoints"}},
        {"Hardware and cost", {"Hardware", "Cost"}},
        {"Run", {"General", "Monitoring", "Notifications", "At the end"}},
    };
    return plans;
}

const SectionPlan& planFor(std::string_view group) {
    const auto& plans = sectionPlans();
    const auto found = std::find_if(plans.begin(), plans.end(), [&](const SectionPlan& plan) {
        return std::find(plan.groups.begin(), plan.groups.end(), group) != plan.groups.end();
    });
    return found == plans.end() ? plans.back() : *found;
}

} // namespace

ConfigForm::ConfigForm(const ControlOptions& options, QWidget* parent) : QWidget(parent) {
    build(options);
    setConfig(RunConfig());
}

void ConfigForm::build(const ControlOptions& options) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    std::map<const SectionPlan*, FormSection*> made;
    for (const auto& plan : sectionPlans()) {
        made[&plan] = new FormSection(static_cast<int>(sections_.size()) + 1, plan.title, this);
        sections_.push_back(made[&plan]);
        layout->addWidget(made[&plan]);
    }
    layout->addStretch();
    for (const auto& field : fieldTable()) {
        auto* section = made[&planFor(field.group)];
        groups_[field.group] = section;
        section->addField(field, options);
        auto* cell = section->cells().back();
        cells_[field.key] = cell;
        connect(&cell->control(), &FieldControl::edited, this, [this, cell] { onEdited(*cell); });
        connect(&cell->note(), &ProblemLabel::fixChosen, this, &ConfigForm::applyFix);
        connect(&cell->note(), &ProblemLabel::settingChosen, this, &ConfigForm::reveal);
    }
}

FieldCell* ConfigForm::cell(std::string_view key) const {
    const auto found = cells_.find(key);
    return found == cells_.end() ? nullptr : found->second;
}

FormSection& ConfigForm::section(std::string_view group) const {
    const auto found = groups_.find(group);
    return found == groups_.end() ? *sections_.back() : *found->second;
}

void ConfigForm::setConfig(const RunConfig& config) {
    config_ = config;
    typed_.clear();
    served_.clear();
    for (auto& [key, cell] : cells_)
        cell->control().setValue(cell->field().read(config_));
    modified_ = false;
    refreshChanged();
    showProblems();
    Q_EMIT configChanged({});
}

void ConfigForm::onEdited(FieldCell& cell) {
    const auto& field = cell.field();
    const auto key = std::string(field.key);
    const auto wrong = field.write(config_, cell.control().value());
    typed_.erase(key);
    if (wrong)
        typed_[key] = {key, 0, Severity::Error, key + " " + *wrong + ".",
                       "The default is " + dumpJson(field.read(RunConfig())) + "."};
    modified_ = true;
    refreshChanged();
    showProblems();
    Q_EMIT configChanged(toQt(key));
}

void ConfigForm::setProblems(const Problems& problems) {
    served_ = problems;
    showProblems();
}

Problems ConfigForm::problems() const {
    Problems all;
    for (const auto& [key, problem] : typed_)
        all.push_back(problem);
    for (const auto& problem : served_)
        if (!typed_.contains(problem.key))
            all.push_back(problem);
    std::stable_sort(all.begin(), all.end(),
                     [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
    return all;
}

void ConfigForm::showProblems() {
    std::map<const Field*, Problems> byField;
    for (const auto& problem : problems())
        if (const auto* field = fieldOfProblem(problem.key))
            byField[field].push_back(problem);
    for (auto& [key, cell] : cells_)
        cell->setProblems(byField[&cell->field()]);
    for (auto* section : sections_)
        for (auto* cell : section->cells())
            if (cell->field().level == FieldLevel::Expert && hasError(cell->note().problems()))
                section->setUnfolded(true);
    refreshVisibility();
    Q_EMIT problemsChanged();
}

void ConfigForm::refreshVisibility() {
    const bool searching = !searchWords_.isEmpty();
    const auto wanted = [&](const FieldCell& cell) {
        return searching ? cell.matches(searchWords_) : conditionHolds(cell.field().visibleWhen, config_);
    };
    for (auto* section : sections_)
        section->showCells(wanted, searching);
}

void ConfigForm::refreshChanged() {
    static const RunConfig standard;
    for (auto* section : sections_) {
        int changedExperts = 0;
        for (auto* cell : section->cells()) {
            const bool changed = cell->field().read(config_) != cell->field().read(standard);
            cell->setChanged(changed);
            changedExperts += changed && cell->field().level == FieldLevel::Expert;
        }
        section->setChangedExperts(changedExperts);
    }
}

int ConfigForm::search(const QString& words) {
    searchWords_ = words.split(' ', Qt::SkipEmptyParts);
    refreshVisibility();
    return static_cast<int>(std::count_if(
        cells_.begin(), cells_.end(), [&](const auto& item) { return item.second->matches(searchWords_); }));
}

void ConfigForm::reveal(const QString& key) {
    auto* target = cell(toStd(key));
    if (!target)
        return;
    for (auto* section : sections_)
        if (target->field().level == FieldLevel::Expert &&
            std::find(section->cells().begin(), section->cells().end(), target) != section->cells().end())
            section->setUnfolded(true);
    target->control().buddy()->setFocus(Qt::OtherFocusReason);
    // After the layout has settled.
    QTimer::singleShot(0, this, [this, target] {
        for (auto* up = parentWidget(); up; up = up->parentWidget())
            if (auto* area = qobject_cast<QScrollArea*>(up))
                area->ensureWidgetVisible(target, 20, 80);
    });
}

void ConfigForm::applyFix(const Problem& problem) {
    const auto fix = proposedFix(problem);
    auto* target = fix ? cell(fix->field->key) : nullptr;
    if (!target)
        return;
    target->control().setValue(fix->value.is_array() || fix->field->kind != FieldKind::TextList
                                   ? fix->value
                                   : Json::array({fix->value}));
    onEdited(*target);
}

} // namespace anneal
