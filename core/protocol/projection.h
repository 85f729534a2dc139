#pragma once
#include "core/protocol/events.h"
#include "core/protocol/state.h"

#include <deque>

namespace anneal {

/// What the configuration says about interruptions of training; values as in the YAML file (below 1: a share
/// of the run, 0: never).
struct ProjectionSchedule {
    double evaluation_every = 0;
    double checkpoint_every = 0;
};

/// Learns from a run's events how long the rest will take. Feed it every record in the order of the file; it
/// uses the durations that steps, evaluations and checkpoints state of themselves, so pauses and gaps between
/// two starts never count. The first step of each start is left out as soon as there is another one: it pays
/// for warming up.
class Projection {
public:
    explicit Projection(ProjectionSchedule schedule = {}) : schedule_(schedule) {}

    void observe(const Event& event);

    /// Seconds until the run ends, as a range; nullopt before the first step or while the length is unknown.
    std::optional<TimeLeft> secondsLeft() const;
    /// Typical seconds of one step, or nullopt before the first.
    std::optional<double> secondsPerStep() const;

private:
    void observeStep(const StepEvent& event);

    ProjectionSchedule schedule_;
    std::int64_t step_ = 0, maxSteps_ = 0;
    bool warmingUp_ = true;
    bool finished_ = false;
    std::optional<double> firstStep_;
    std::deque<double> steps_; ///< seconds of the latest steps
    std::deque<double> evaluations_, checkpoints_;
};

/// Mean of the middle of `values` after a tenth at each end is cut off; 0 when there are none.
double trimmedMean(std::vector<double> values);

/// What has been spent at `hourlyRate` (all machines together) over `activeSeconds`, and what the whole run
/// will cost.
CostSoFar projectCost(std::optional<double> hourlyRate, double activeSeconds,
                      const std::optional<TimeLeft>& left, std::string currency);

} // namespace anneal
