#include "core/protocol/projection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace anneal {

namespace {

/// So many steps decide: enough to average over lengths, few enough to follow a machine that slows down.
constexpr std::size_t stepWindow = 100;
constexpr std::size_t interruptionWindow = 5;

void push(std::deque<double>& values, double value, std::size_t limit) {
    if (!std::isfinite(value) || value < 0)
        return;
    values.push_back(value);
    if (values.size() > limit)
        values.pop_front();
}

double mean(const std::deque<double>& values) {
    return values.empty()
               ? 0.0
               : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Steps between two interruptions, or 0 for never.
double interval(double every, std::int64_t maxSteps) {
    if (every <= 0)
        return 0;
    return every < 1 ? std::max(1.0, std::ceil(every * static_cast<double>(maxSteps))) : every;
}

/// How many interruptions lie in (step, maxSteps], the one at the end included.
double interruptionsLeft(double every, std::int64_t step, std::int64_t maxSteps) {
    const double each = interval(every, maxSteps);
    if (each == 0)
        return 1;
    const auto count = [&](std::int64_t upTo) { return std::floor(static_cast<double>(upTo) / each); };
    const bool endIsRegular = std::fmod(static_cast<double>(maxSteps), each) == 0;
    return count(maxSteps) - count(step) + (endIsRegular ? 0 : 1);
}

/// Relative half-width of the estimate: scatter of the mean, plus what is still unknown after few steps.
double uncertainty(const std::deque<double>& steps, double typical) {
    double squares = 0;
    for (const double seconds : steps)
        squares += (seconds - typical) * (seconds - typical);
    const auto n = static_cast<double>(steps.size());
    const double scatter = typical > 0 ? std::sqrt(squares / n) / typical : 0;
    return std::min(0.6, 0.03 + 2 * scatter / std::sqrt(n) + 0.3 / n);
}

} // namespace

double trimmedMean(std::vector<double> values) {
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const auto cut = static_cast<std::ptrdiff_t>(values.size() / 10);
    const auto count = static_cast<double>(static_cast<std::ptrdiff_t>(values.size()) - 2 * cut);
    return std::accumulate(values.begin() + cut, values.end() - cut, 0.0) / count;
}

void Projection::observeStep(const StepEvent& event) {
    step_ = event.step;
    if (std::exchange(warmingUp_, false))
        firstStep_ = event.seconds;
    else
        push(steps_, event.seconds, stepWindow);
}

void Projection::observe(const Event& event) {
    if (const auto* step = std::get_if<StepEvent>(&event)) {
        observeStep(*step);
    } else if (const auto* started = std::get_if<StartedEvent>(&event)) {
        maxSteps_ = started->max_steps;
        warmingUp_ = true;
        finished_ = false;
    } else if (const auto* resumed = std::get_if<ResumedEvent>(&event)) {
        step_ = resumed->step;
        warmingUp_ = true;
        finished_ = false;
    } else if (const auto* evaluation = std::get_if<EvaluationEvent>(&event)) {
        push(evaluations_, evaluation->seconds, interruptionWindow);
    } else if (const auto* checkpoint = std::get_if<CheckpointEvent>(&event)) {
        push(checkpoints_, checkpoint->seconds, interruptionWindow);
    } else if (const auto* finished = std::get_if<FinishedEvent>(&event)) {
        finished_ = finished->status == statusName(RunStatus::Finished);
    }
}

std::optional<double> Projection::secondsPerStep() const {
    if (!steps_.empty())
        return trimmedMean({steps_.begin(), steps_.end()});
    return firstStep_;
}

std::optional<TimeLeft> Projection::secondsLeft() const {
    if (finished_)
        return TimeLeft{0, 0};
    const auto perStep = secondsPerStep();
    if (!perStep || maxSteps_ <= 0)
        return std::nullopt;
    const auto stepsLeft = static_cast<double>(std::max<std::int64_t>(0, maxSteps_ - step_));
    const double interruptions =
        stepsLeft == 0
            ? 0
            : mean(evaluations_) * interruptionsLeft(schedule_.evaluation_every, step_, maxSteps_) +
                  mean(checkpoints_) * interruptionsLeft(schedule_.checkpoint_every, step_, maxSteps_);
    const double seconds = stepsLeft * *perStep + interruptions;
    if (steps_.empty()) // a lone first step mostly overstates
        return TimeLeft{0.5 * seconds, 1.1 * seconds};
    const double half = uncertainty(steps_, *perStep);
    return TimeLeft{seconds * (1 - half), seconds * (1 + half)};
}

CostSoFar projectCost(std::optional<double> hourlyRate, double activeSeconds,
                      const std::optional<TimeLeft>& left, std::string currency) {
    CostSoFar cost;
    cost.currency = std::move(currency);
    if (!hourlyRate)
        return cost;
    cost.spent = *hourlyRate * activeSeconds / 3600;
    if (left)
        cost.projected = *cost.spent + *hourlyRate * (left->low + left->high) / 2 / 3600;
    return cost;
}

} // namespace anneal
