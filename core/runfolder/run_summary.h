#pragma once
#include "core/protocol/projection.h"
#include "core/runfolder/run_folder.h"
#include "core/schema/config_io.h"

#include <deque>

namespace anneal {

/// What a summary needs of a run's configuration; read once, run.yaml does not change.
struct SummarySettings {
    std::string name, model;
    std::vector<std::string> tags;
    std::optional<double>
        hourly_rate; ///< all machines together: as configured, or from the price catalogue at start
    std::string currency = "USD";
    ProjectionSchedule schedule;
};
SummarySettings summarySettings(const LoadedConfig& loaded);

/// Builds a RunSummary from events as they come. Steps behind a `resumed` are the caller's to leave out:
/// after one, start a new tracker from readEvents().
class SummaryTracker {
public:
    SummaryTracker(std::string id, std::string folder, SummarySettings settings);

    void observe(const EventRecord& record);
    /// `state` gives status, times and reason.
    RunSummary summary(const RunState& state, double now) const;

private:
    void observeStep(const StepEvent& event);
    void observeEvaluation(const EvaluationEvent& event);

    SummarySettings settings_;
    RunSummary summary_;
    Projection projection_;
    std::deque<std::pair<std::int64_t, double>> speeds_; ///< tokens and seconds of the latest steps
};

/// Reads a run folder whole. Fails when it has neither state nor configuration.
Result<RunSummary> summarizeRun(const RunFolder& folder);

/// One run followed as its files grow.
class RunFollower {
public:
    explicit RunFollower(RunFolder folder);

    struct Update {
        std::vector<EventRecord> events;
        bool replay = false; ///< `events` are all there are, from the start; what was known before is void
    };
    /// New events since the last call. The first answer is a replay, and so is each one that brings a
    /// `resumed`.
    Update poll();
    /// As of the last poll().
    RunSummary summary();
    const RunFolder& folder() const { return folder_; }

private:
    Update replay();

    RunFolder folder_;
    SummarySettings settings_;
    JsonlFollower events_;
    std::optional<SummaryTracker> tracker_;
};

} // namespace anneal
