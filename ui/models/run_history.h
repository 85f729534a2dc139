#pragma once
#include "core/protocol/events.h"

#include <QObject>
#include <QVector>

#include <optional>
#include <span>
#include <vector>

namespace anneal {

/// The curves of the optimizer steps, one value a step in each column.
struct StepCurves {
    QVector<double> step, t, loss, learning_rate, grad_norm, tokens_per_second;
    qsizetype size() const { return step.size(); }
};

/// A record of its run with when it was written.
template <class Event>
struct Stamped {
    double t = 0;
    std::int64_t seq = 0;
    Event event;
};

/// What the events of one run say, in the form in which pages show it. Records that a later `resumed`
/// supersedes are left out, as are records that were there already: replaying a run again changes nothing.
class RunHistory : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    void add(std::vector<EventRecord> records);
    void clear();

    const StepCurves& steps() const { return steps_; }
    const std::vector<Stamped<EvaluationEvent>>& evaluations() const { return evaluations_; }
    const std::vector<Stamped<SampleEvent>>& samples() const { return samples_; }
    const std::vector<Stamped<CheckpointEvent>>& checkpoints() const { return checkpoints_; }
    /// Everything but steps and phases, which have their own views.
    const std::vector<EventRecord>& notable() const { return notable_; }
    const std::optional<StartedEvent>& started() const { return started_; }
    /// Where a long job stands, or nothing between jobs.
    const std::optional<PhaseEvent>& phase() const { return phase_; }
    const std::optional<FinishedEvent>& finished() const { return finished_; }
    const std::optional<StepEvent>& lastStep() const { return lastStep_; }
    double lastStepTime() const { return steps_.t.isEmpty() ? 0 : steps_.t.last(); }
    double startTime() const { return startTime_; }
    /// The evaluation before the first step.
    const EvaluationEvent* base() const;
    /// The smallest finite validation loss after training began.
    const EvaluationEvent* best() const;
    bool empty() const { return lastSeq_ == 0; }

Q_SIGNALS:
    /// Once for each call of add() or clear() that changed something.
    void changed();

private:
    void take(EventRecord&& record);
    void supersede(std::int64_t step);
    void addStep(const StepEvent& event, double t);

    StepCurves steps_;
    std::vector<Stamped<EvaluationEvent>> evaluations_;
    std::vector<Stamped<SampleEvent>> samples_;
    std::vector<Stamped<CheckpointEvent>> checkpoints_;
    std::vector<EventRecord> notable_;
    std::optional<StartedEvent> started_;
    std::optional<PhaseEvent> phase_;
    std::optional<FinishedEvent> finished_;
    std::optional<StepEvent> lastStep_;
    double startTime_ = 0;
    std::int64_t lastSeq_ = 0;
};

} // namespace anneal
