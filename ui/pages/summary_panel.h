#pragma once
#include "core/schema/run_config.h"
#include "ui/forms/problem_label.h"
#include "ui/models/plan_answer.h"
#include "ui/pages/memory_bar.h"

#include <QLabel>
#include <QVBoxLayout>

namespace anneal {

/// What a configuration comes to: batch, steps, memory, time, cost and problems; beside the form at all
/// times.
class SummaryPanel : public QWidget {
    Q_OBJECT

public:
    explicit SummaryPanel(QWidget* parent = nullptr);

    void setConfig(const RunConfig& config);
    void setPlan(const PlanAnswer& plan);
    /// There is no plan: why.
    void setNoPlan(const QString& reason);
    /// A newer plan is on its way.
    void setBusy(bool busy);
    void setProblems(const Problems& problems);
    const std::optional<PlanAnswer>& plan() const { return plan_; }

    QString batchText() const { return batch_->text(); }
    QString timeText() const { return time_->text(); }
    QString costText() const { return cost_->text(); }
    QString problemsText() const { return counts_->text(); }

Q_SIGNALS:
    void settingChosen(const QString& key);
    void fixChosen(const anneal::Problem& problem);

private:
    QLabel* addBlock(QVBoxLayout& layout, const QString& title);
    void refreshBatch();
    void refreshCost();

    RunConfig config_;
    std::optional<PlanAnswer> plan_;
    QLabel *title_, *batch_, *batchNote_, *steps_, *memory_, *time_, *timeNote_, *cost_, *costNote_, *counts_;
    MemoryBar* bar_;
    ProblemLabel* problems_;
};

} // namespace anneal
