#include "ui/models/run_history.h"

#include <cmath>
#include <utility>

namespace anneal {

namespace {

/// More records of this kind than anyone reads; the oldest go first.
constexpr std::size_t keptNotable = 20'000;

/// The step a record belongs to, for those that a resume can supersede.
std::optional<std::int64_t> stepOf(const Event& event) {
    return std::visit(
        [](const auto& typed) -> std::optional<std::int64_t> {
            if constexpr (requires { typed.step; })
                return typed.step;
            else
                return std::nullopt;
        },
        event);
}

template <class Event>
void dropAfter(std::vector<Stamped<Event>>& records, std::int64_t step) {
    std::erase_if(records, [&](const auto& record) { return record.event.step > step; });
}

} // namespace

void RunHistory::clear() {
    steps_ = {};
    evaluations_.clear();
    samples_.clear();
    checkpoints_.clear();
    notable_.clear();
    started_.reset();
    phase_.reset();
    finished_.reset();
    lastStep_.reset();
    startTime_ = 0;
    lastSeq_ = 0;
    Q_EMIT changed();
}

void RunHistory::add(std::vector<EventRecord> records) {
    bool news = false;
    for (auto& record : records) {
        if (record.seq <= lastSeq_)
            continue;
        lastSeq_ = record.seq;
        news = true;
        if (startTime_ == 0)
            startTime_ = record.t;
        take(std::move(record));
    }
    if (news)
        Q_EMIT changed();
}

void RunHistory::take(EventRecord&& record) {
    const auto& event = record.event;
    if (const auto* step = std::get_if<StepEvent>(&event))
        return addStep(*step, record.t);
    if (const auto* phase = std::get_if<PhaseEvent>(&event)) {
        phase_ = *phase;
        return;
    }
    if (const auto* resumed = std::get_if<ResumedEvent>(&event))
        supersede(resumed->step);
    else if (const auto* evaluation = std::get_if<EvaluationEvent>(&event))
        evaluations_.push_back({record.t, record.seq, *evaluation});
    else if (const auto* sample = std::get_if<SampleEvent>(&event))
        samples_.push_back({record.t, record.seq, *sample});
    else if (const auto* checkpoint = std::get_if<CheckpointEvent>(&event))
        checkpoints_.push_back({record.t, record.seq, *checkpoint});
    else if (const auto* started = std::get_if<StartedEvent>(&event))
        started_ = *started, finished_.reset();
    else if (const auto* finished = std::get_if<FinishedEvent>(&event))
        finished_ = *finished, phase_.reset();
    notable_.push_back(std::move(record));
    if (notable_.size() > keptNotable)
        notable_.erase(notable_.begin(), notable_.begin() + keptNotable / 10);
}

void RunHistory::addStep(const StepEvent& event, double t) {
    steps_.step.append(static_cast<double>(event.step));
    steps_.t.append(t);
    steps_.loss.append(event.loss);
    steps_.learning_rate.append(event.learning_rate);
    steps_.grad_norm.append(event.grad_norm);
    steps_.tokens_per_second.append(event.tokens_per_second);
    lastStep_ = event;
    phase_.reset();
}

void RunHistory::supersede(std::int64_t step) {
    qsizetype kept = steps_.size();
    while (kept > 0 && steps_.step[kept - 1] > static_cast<double>(step))
        --kept;
    for (auto* column : {&steps_.step, &steps_.t, &steps_.loss, &steps_.learning_rate, &steps_.grad_norm,
                         &steps_.tokens_per_second})
        column->resize(kept);
    dropAfter(evaluations_, step);
    dropAfter(samples_, step);
    dropAfter(checkpoints_, step);
    // What went wrong stays on record, although its step will be taken again.
    std::erase_if(notable_, [&](const EventRecord& record) {
        const bool complaint = std::holds_alternative<ErrorEvent>(record.event) ||
                               std::holds_alternative<WarningEvent>(record.event) ||
                               std::holds_alternative<FinishedEvent>(record.event) ||
                               std::holds_alternative<CommandEvent>(record.event);
        return !complaint && stepOf(record.event).value_or(0) > step;
    });
    finished_.reset();
    if (lastStep_ && lastStep_->step > step)
        lastStep_.reset();
}

const EvaluationEvent* RunHistory::base() const {
    return !evaluations_.empty() && evaluations_.front().event.step == 0 ? &evaluations_.front().event
                                                                         : nullptr;
}

const EvaluationEvent* RunHistory::best() const {
    const EvaluationEvent* best = nullptr;
    for (const auto& [t, seq, event] : evaluations_)
        if (event.step > 0 && std::isfinite(event.loss) && (!best || event.loss < best->loss))
            best = &event;
    return best;
}

} // namespace anneal
