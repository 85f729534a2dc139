#include "core/runfolder/run_summary.h"

#include "core/base/system.h"
#include "core/runfolder/run_status.h"

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

/// Steps over which the speed is averaged.
constexpr std::size_t speedWindow = 20;

double activeSeconds(const RunState& state, RunStatus status, double now) {
    // Between two heartbeats the clock of a running run goes on.
    const bool counting =
        status == RunStatus::Running || status == RunStatus::Preparing || status == RunStatus::Stopping;
    return state.active_seconds +
           (counting ? std::clamp(now - state.heartbeat, 0.0, staleHeartbeatSeconds) : 0.0);
}

} // namespace

SummarySettings summarySettings(const LoadedConfig& loaded) {
    const auto& config = loaded.config;
    SummarySettings settings;
    settings.name = config.name;
    settings.model = config.model.path;
    settings.tags = config.tags;
    settings.hourly_rate = config.cost.hourly_rate;
    settings.currency = config.cost.currency;
    settings.schedule = {config.evaluation.every_steps, config.checkpoint.every_steps};
    const auto rate = loaded.resolved.find("hourly_rate");
    if (!settings.hourly_rate && rate != loaded.resolved.end() && rate->is_number())
        settings.hourly_rate = rate->get<double>();
    return settings;
}

SummaryTracker::SummaryTracker(std::string id, std::string folder, SummarySettings settings)
    : settings_(std::move(settings)), projection_(settings_.schedule) {
    summary_.id = std::move(id);
    summary_.folder = std::move(folder);
    summary_.name = settings_.name;
    summary_.model = settings_.model;
    summary_.tags = settings_.tags;
}

void SummaryTracker::observe(const EventRecord& record) {
    projection_.observe(record.event);
    if (const auto* step = std::get_if<StepEvent>(&record.event))
        observeStep(*step);
    else if (const auto* evaluation = std::get_if<EvaluationEvent>(&record.event))
        observeEvaluation(*evaluation);
    else if (const auto* started = std::get_if<StartedEvent>(&record.event))
        summary_.max_steps = started->max_steps;
    else if (const auto* resumed = std::get_if<ResumedEvent>(&record.event))
        summary_.step = resumed->step;
    else if (const auto* phase = std::get_if<PhaseEvent>(&record.event))
        summary_.phase = phase->name;
}

void SummaryTracker::observeStep(const StepEvent& event) {
    summary_.step = event.step;
    summary_.epoch = event.epoch;
    summary_.train_loss = event.loss;
    summary_.learning_rate = event.learning_rate;
    summary_.tokens = event.total_tokens;
    speeds_.emplace_back(event.tokens, event.seconds);
    if (speeds_.size() > speedWindow)
        speeds_.pop_front();
    double tokens = 0, seconds = 0;
    for (const auto& [count, duration] : speeds_) {
        tokens += static_cast<double>(count);
        seconds += duration;
    }
    if (seconds > 0)
        summary_.tokens_per_second = tokens / seconds;
}

void SummaryTracker::observeEvaluation(const EvaluationEvent& event) {
    if (event.step == 0) {
        summary_.base_validation_loss = event.loss;
        return;
    }
    summary_.validation_loss = event.loss;
    if (std::isfinite(event.loss) && (!summary_.best || event.loss < summary_.best->validation_loss))
        summary_.best = BestResult{event.step, event.loss};
}

RunSummary SummaryTracker::summary(const RunState& state, double now) const {
    RunSummary summary = summary_;
    summary.status = effectiveStatus(state, now);
    summary.reason = summary.status == RunStatus::Interrupted && state.reason.empty()
                         ? "its process ended without a word"
                         : state.reason;
    summary.created = state.created;
    summary.seconds = activeSeconds(state, summary.status, now);
    if (isActive(summary.status) || summary.status == RunStatus::Finished)
        summary.seconds_left = projection_.secondsLeft();
    if (summary.status == RunStatus::Finished) // early stopping ends before the last step
        summary.seconds_left = TimeLeft{0, 0};
    if (!isActive(summary.status))
        summary.phase.clear();
    else if (!state.phase.empty())
        summary.phase = state.phase;
    summary.cost =
        projectCost(settings_.hourly_rate, summary.seconds, summary.seconds_left, settings_.currency);
    return summary;
}

RunFollower::RunFollower(RunFolder folder) : folder_(std::move(folder)), events_(folder_.events()) {
    if (const auto loaded = loadConfig(folder_.config()))
        settings_ = summarySettings(*loaded);
}

RunFollower::Update RunFollower::poll() {
    if (!tracker_)
        return replay();
    Update update;
    for (const auto& line : events_.poll())
        if (auto record = eventFromJson(line))
            update.events.push_back(*std::move(record));
    const auto resumes = [](const EventRecord& record) {
        return std::holds_alternative<ResumedEvent>(record.event);
    };
    if (std::ranges::any_of(update.events, resumes))
        return replay();
    for (const auto& record : update.events)
        tracker_->observe(record);
    return update;
}

RunFollower::Update RunFollower::replay() {
    tracker_.emplace(folder_.id(), folder_.path().string(), settings_);
    events_ = JsonlFollower(folder_.events());
    Update update{{}, true};
    for (auto lines = events_.poll(); !lines.empty(); lines = events_.poll())
        for (const auto& line : lines)
            if (auto record = eventFromJson(line))
                update.events.push_back(*std::move(record));
    dropSuperseded(update.events);
    for (const auto& record : update.events)
        tracker_->observe(record);
    return update;
}

RunSummary RunFollower::summary() {
    const auto state = readState(folder_);
    if (!tracker_)
        replay();
    return tracker_->summary(state ? *state : RunState{}, unixSeconds());
}

Result<RunSummary> summarizeRun(const RunFolder& folder) {
    std::error_code ignored;
    if (!fs::exists(folder.config(), ignored) && !fs::exists(folder.state(), ignored))
        return invalidInput(folder.path().string() + " is not a run folder: it holds no run.yaml.",
                            "Name a run that `anneal list` shows.");
    return RunFollower(folder).summary();
}

} // namespace anneal
