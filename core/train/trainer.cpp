#include "core/train/trainer.h"

#include "core/base/system.h"
#include "core/train/batch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace anneal {

namespace {

constexpr std::int64_t badStepsAllowed = 3;
constexpr auto pausePoll = std::chrono::milliseconds(200);

std::int64_t perStep(const TrainingSettings& training) {
    return std::max<std::int64_t>(1, training.per_device_batch_size);
}

} // namespace

Trainer::Trainer(Parts parts, const RunConfig& config, std::string dataFingerprint,
                 std::string modelFingerprint)
    : parts_(parts), training_(config.training), checkpoint_(config.checkpoint),
      evaluation_(config.evaluation), optimizer_(parts.decoder.lora().values(), config.training),
      totalSteps_(parts.sampler.totalSteps()), schedule_(config.training, totalSteps_) {
    state_.total_steps = totalSteps_;
    state_.seed = config.training.seed;
    state_.data_fingerprint = std::move(dataFingerprint);
    state_.model_fingerprint = std::move(modelFingerprint);
}

Result<TrainingOutcome> Trainer::run(bool restarted) {
    ANNEAL_CHECK(resumeOrStart(restarted));
    return loop();
}

Status Trainer::resumeOrStart(bool restarted) {
    lastSave_ = monotonicSeconds();
    if (const auto newest = parts_.checkpoints.newest())
        return resumeFrom(*newest);
    if (restarted)
        parts_.sink.emit(ResumedEvent{0, "from the start: no checkpoint was saved yet"});
    if (evaluation_.at_start)
        ANNEAL_CHECK(evaluateBase());
    if (outcome_ || parts_.control.stopRequest())
        return {}; // the loop leaves at once
    return tryLongestBatch();
}

Status Trainer::resumeFrom(const CheckpointInfo& checkpoint) {
    ANNEAL_TRY(auto saved, parts_.checkpoints.load(checkpoint, parts_.decoder.lora(), optimizer_));
    if (saved.data_fingerprint != state_.data_fingerprint)
        return invalidInput("The prepared data is not what the checkpoint " + checkpoint.path.string() +
                                " was trained on.",
                            "Restore the data files as they were, or start a new run.");
    if (saved.total_steps != totalSteps_)
        parts_.sink.emit(
            SettingChangedEvent{saved.step, "training.max_steps", saved.total_steps, totalSteps_});
    saved.total_steps = totalSteps_;
    state_ = std::move(saved);
    savedStep_ = state_.step;
    parts_.sink.emit(ResumedEvent{state_.step, "from " + checkpoint.path.filename().string()});
    if (isDue(state_.step, evaluation_.every_steps)) // a stop may have cut its evaluation short
        return evaluate(state_.step);
    return {};
}

Status Trainer::evaluateBase() {
    parts_.decoder.setAdapterEnabled(false);
    const auto evaluated = evaluate(0);
    parts_.decoder.setAdapterEnabled(true);
    return evaluated;
}

/// The largest batch comes first, so that memory runs out now or never.
Status Trainer::tryLongestBatch() {
    const auto sequences = parts_.sampler.longestBatch();
    if (sequences.empty())
        return {};
    parts_.sink.emit(PhaseEvent{"trying the longest batch", 0, 1, "batch"});
    ANNEAL_TRY(const auto ignored,
               parts_.decoder.forwardBackward(makeBatch(parts_.store, sequences, 0), 1.0, {}));
    (void)ignored;
    parts_.decoder.lora().grads().zero_();
    return {};
}

Result<TrainingOutcome> Trainer::loop() {
    parts_.sink.setStatus(RunStatus::Running, "");
    parts_.sink.emit(PhaseEvent{"training", state_.step, totalSteps_, "steps"});
    while (state_.step < totalSteps_ && !earlyStop_) {
        ANNEAL_TRY(const auto boundary, obey());
        if (boundary == Boundary::Leave)
            return end();
        ANNEAL_CHECK(trainStep(state_.step + 1));
        ANNEAL_CHECK(atBoundary(state_.step));
    }
    return end();
}

Result<LossSum> Trainer::accumulate(const Sampler::StepBatch& batch, std::int64_t supervised) {
    const std::span all(batch.sequences);
    const auto size = static_cast<std::size_t>(perStep(training_));
    const DropoutKey key{static_cast<std::uint64_t>(training_.seed), batch.step};
    LossSum total;
    for (std::size_t first = 0; first < all.size(); first += size) {
        const auto part = all.subspan(first, std::min(size, all.size() - first));
        const auto micro = makeBatch(parts_.store, part, batch.firstSequence + first);
        ANNEAL_TRY(const auto sum,
                   parts_.decoder.forwardBackward(micro, 1.0 / static_cast<double>(supervised), key));
        total.loss += sum.loss;
        total.tokens += sum.tokens;
    }
    return total;
}

Status Trainer::trainStep(std::int64_t step) {
    const double start = monotonicSeconds();
    const auto batch = parts_.sampler.batch(step);
    auto& gradients = parts_.decoder.lora().grads();
    gradients.zero_();
    StepEvent event;
    event.step = step;
    event.epoch = batch.epoch;
    event.learning_rate = schedule_.rate(step);
    event.tokens = countTokens(parts_.store, batch.sequences);
    event.supervised_tokens = supervisedTokens(parts_.store, batch.sequences);
    if (event.supervised_tokens > 0) {
        ANNEAL_TRY(const auto sum, accumulate(batch, event.supervised_tokens));
        ANNEAL_CHECK(parts_.communicator.allReduceSum(gradients));
        event.loss = sum.loss / static_cast<double>(event.supervised_tokens);
        event.grad_norm = clipByNorm(gradients, training_.max_grad_norm);
    } else {
        event.loss = event.grad_norm = std::nan("");
    }
    ANNEAL_CHECK(update(event, event.learning_rate));
    state_.step = step;
    state_.epoch = batch.epoch;
    state_.tokens += event.tokens;
    event.total_tokens = state_.tokens;
    event.seconds = monotonicSeconds() - start;
    event.tokens_per_second = static_cast<double>(event.tokens) / std::max(event.seconds, 1e-9);
    parts_.sink.emit(event);
    return {};
}

Status Trainer::update(const StepEvent& measured, double rate) {
    if (measured.supervised_tokens == 0) {
        parts_.sink.emit(WarningEvent{measured.step,
                                      "No token of this step's rows is trained; the step was skipped.",
                                      "Raise data.max_length, or check data.loss_on."});
        return {};
    }
    if (!std::isfinite(measured.loss) || !std::isfinite(measured.grad_norm))
        return countBadStep(measured);
    badSteps_ = 0;
    optimizer_.step(parts_.decoder.lora().values(), parts_.decoder.lora().grads(), rate);
    state_.optimizer_steps = optimizer_.steps();
    return {};
}

Status Trainer::countBadStep(const StepEvent& measured) {
    parts_.sink.emit(WarningEvent{measured.step,
                                  "Loss or gradient is not a finite number; the step was skipped.",
                                  "Lower training.learning_rate if it happens again."});
    if (++badSteps_ < badStepsAllowed)
        return {};
    return Error{"Loss or gradient was not finite in " + std::to_string(badSteps_) +
                     " steps in a row, the last one step " + std::to_string(measured.step) + ".",
                 "Lower training.learning_rate and resume from the last checkpoint.", ErrorKind::RunFailed};
}

bool Trainer::isDue(std::int64_t step, double every) const {
    if (every <= 0)
        return false;
    const double interval =
        every < 1 ? std::max(1.0, std::round(every * static_cast<double>(totalSteps_))) : every;
    return step % static_cast<std::int64_t>(interval) == 0;
}

Status Trainer::atBoundary(std::int64_t step) {
    const bool last = step == totalSteps_;
    if (last || isDue(step, evaluation_.every_steps))
        ANNEAL_CHECK(evaluate(step));
    const bool isBest = state_.best && state_.best->step == step;
    const bool late =
        checkpoint_.every_minutes > 0 && monotonicSeconds() - lastSave_ > checkpoint_.every_minutes * 60;
    if (last || isBest || late || isDue(step, checkpoint_.every_steps))
        return saveCheckpoint();
    return {};
}

Status Trainer::evaluate(std::int64_t step) {
    if (!parts_.evaluator || state_.evaluated_step == step)
        return {};
    const double start = monotonicSeconds();
    const auto report = [&](const PhaseEvent& phase) {
        parts_.sink.emit(phase);
        listenDuringEvaluation();
    };
    const auto result = parts_.evaluator->evaluate(parts_.decoder, report, cancel_);
    if (!result && outcome_)
        return {}; // cut short by a stop; the loop leaves at once and a resume evaluates again
    ANNEAL_CHECK(result);
    EvaluationEvent event;
    event.step = step;
    event.loss = result->loss;
    event.perplexity = result->perplexity;
    event.tokens = result->tokens;
    event.metrics = result->metrics;
    judge(step, event);
    event.seconds = monotonicSeconds() - start;
    state_.evaluated_step = step;
    parts_.sink.emit(event);
    if (parts_.samples)
        ANNEAL_CHECK(parts_.samples->write(parts_.decoder, step, parts_.sink, cancel_));
    parts_.sink.emit(PhaseEvent{"training", state_.step, totalSteps_, "steps"});
    return {};
}

/// The base (step 0) is compared with, never the best: there is no adapter to export.
void Trainer::judge(std::int64_t step, EvaluationEvent& event) {
    if (step == 0 || !std::isfinite(event.loss))
        return;
    const auto& stopping = evaluation_.early_stopping;
    const bool improves = !state_.best || event.loss < state_.best->validation_loss - stopping.min_delta;
    if (!state_.best || event.loss < state_.best->validation_loss) {
        state_.best = BestResult{step, event.loss};
        event.best = true;
    }
    state_.evaluations_without_improvement = improves ? 0 : state_.evaluations_without_improvement + 1;
    earlyStop_ = stopping.patience > 0 && state_.evaluations_without_improvement >= stopping.patience;
}

Status Trainer::saveCheckpoint() {
    if (savedStep_ == state_.step || state_.step == 0)
        return {};
    const double start = monotonicSeconds();
    ANNEAL_TRY(const auto saved, parts_.checkpoints.save(parts_.decoder.lora(), optimizer_, state_));
    savedStep_ = state_.step;
    lastSave_ = monotonicSeconds();
    parts_.sink.emit(CheckpointEvent{saved.step, "checkpoints/" + saved.path.filename().string(), saved.bytes,
                                     lastSave_ - start});
    return {};
}

std::optional<std::string> Trainer::nextCommand() {
    if (waiting_.empty())
        return parts_.control.takeCommand();
    auto command = std::move(waiting_.front());
    waiting_.pop_front();
    return command;
}

/// An evaluation may take long: a stop ends it, everything else waits for the step boundary.
void Trainer::listenDuringEvaluation() {
    if (outcome_)
        return;
    if (const auto request = parts_.control.stopRequest())
        stopFor(*request);
    else if (auto command = parts_.control.takeCommand(); command && *command != "stop")
        waiting_.push_back(std::move(*command));
    else if (command) {
        parts_.sink.emit(CommandEvent{state_.step, "stop", "accepted"});
        stopFor({"stopped on request"});
    }
    if (outcome_)
        cancel_.cancel();
}

Result<Trainer::Boundary> Trainer::obey() {
    if (outcome_)
        return Boundary::Leave;
    if (const auto request = parts_.control.stopRequest()) {
        stopFor(*request);
        return Boundary::Leave;
    }
    while (const auto command = nextCommand()) {
        const auto answer = [&](const char* outcome) {
            parts_.sink.emit(CommandEvent{state_.step, *command, outcome});
        };
        if (*command == "stop") {
            answer("accepted");
            stopFor({"stopped on request"});
            return Boundary::Leave;
        }
        if (*command == "pause") {
            answer("accepted");
            ANNEAL_CHECK(saveCheckpoint());
            ANNEAL_TRY(const auto boundary, pauseUntilResumed());
            if (boundary == Boundary::Leave)
                return boundary;
        } else if (*command == "save") {
            ANNEAL_CHECK(saveCheckpoint());
            answer("accepted");
        } else {
            answer(*command == "resume" ? "the run is not paused" : "unknown command");
        }
    }
    return Boundary::GoOn;
}

Result<Trainer::Boundary> Trainer::pauseUntilResumed() {
    parts_.sink.setStatus(RunStatus::Paused, "paused on request");
    for (;;) {
        if (const auto request = parts_.control.stopRequest()) {
            stopFor(*request);
            return Boundary::Leave;
        }
        if (const auto command = nextCommand()) {
            parts_.sink.emit(CommandEvent{state_.step, *command, "accepted"});
            if (*command == "stop") {
                stopFor({"stopped on request"});
                return Boundary::Leave;
            }
            if (*command == "resume")
                break;
        }
        std::this_thread::sleep_for(pausePoll);
    }
    parts_.sink.setStatus(RunStatus::Running, "");
    return Boundary::GoOn;
}

void Trainer::stopFor(const StopRequest& request) {
    parts_.sink.setStatus(RunStatus::Stopping, request.reason);
    outcome_ =
        TrainingOutcome{request.interrupted ? RunStatus::Interrupted : RunStatus::Stopped, request.reason, 0};
}

Result<TrainingOutcome> Trainer::end() {
    ANNEAL_CHECK(saveCheckpoint());
    auto outcome = outcome_.value_or(TrainingOutcome{});
    if (!outcome_ && earlyStop_)
        outcome.reason = "validation loss did not improve in " +
                         std::to_string(state_.evaluations_without_improvement) + " evaluations";
    outcome.step = state_.step;
    return outcome;
}

} // namespace anneal
