#pragma once
#include "core/schema/config_io.h"
#include "ui/forms/form_section.h"

#include <map>

namespace anneal {

/// Every setting of a run as a form, drawn from the field table. Holds the configuration that is being
/// edited.
class ConfigForm : public QWidget {
    Q_OBJECT

public:
    explicit ConfigForm(const ControlOptions& options = {}, QWidget* parent = nullptr);

    const RunConfig& config() const { return config_; }
    /// Shows another configuration; emits configChanged once.
    void setConfig(const RunConfig& config);
    /// What serve found; problems of the form itself (a number that is none) are added.
    void setProblems(const Problems& problems);
    /// Of both kinds, errors first.
    Problems problems() const;
    /// Shows only what the words fit; empty: everything. Returns how many settings fit.
    int search(const QString& words);
    /// Brings a setting to sight and gives it the focus.
    void reveal(const QString& key);
    /// Does what a problem's fix proposes.
    void applyFix(const Problem& problem);
    FieldCell* cell(std::string_view key) const;
    /// The section that holds a group of the table.
    FormSection& section(std::string_view group) const;
    /// Whether the configuration was edited since setConfig().
    bool modified() const { return modified_; }
    void setModified(bool modified) { modified_ = modified; }

Q_SIGNALS:
    /// `key` is empty when all of it changed.
    void configChanged(const QString& key);
    void problemsChanged();

private:
    void build(const ControlOptions& options);
    FormSection* addSection(const QString& title);
    void onEdited(FieldCell& cell);
    void showProblems();
    void refreshVisibility();
    void refreshChanged();

    RunConfig config_;
    Problems served_;
    std::map<std::string, Problem> typed_; ///< what the form cannot store, by key
    std::vector<FormSection*> sections_;
    std::map<std::string_view, FormSection*> groups_;
    std::map<std::string_view, FieldCell*> cells_;
    QStringList searchWords_;
    bool modified_ = false;
};

} // namespace anneal
