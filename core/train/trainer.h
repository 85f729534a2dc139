#pragma once
#include "core/data/sampler.h"
#include "core/dist/communicator.h"
#include "core/model/decoder.h"
#include "core/train/adamw.h"
#include "core/train/checkpoint.h"
#include "core/train/control.h"
#include "core/train/evaluator.h"
#include "core/train/schedule.h"
#include "core/train/sink.h"

#include <deque>
#include <optional>
#include <string>

namespace anneal {

/// How a run ended.
struct TrainingOutcome {
    RunStatus status = RunStatus::Finished; ///< Finished, Stopped or Interrupted
    std::string reason;
    std::int64_t step = 0;
};

/// Writes samples of the user's own prompts at evaluations.
class SampleWriter {
public:
    virtual ~SampleWriter() = default;
    virtual Status write(Decoder& decoder, std::int64_t step, EventSink& sink, const CancelToken& cancel) = 0;
};

/// The training loop of one rank. It owns the optimizer and the place in the run; everything else is lent.
class Trainer {
public:
    /// The parts it works with; all outlive the trainer. `evaluator` and `samples` may be null.
    struct Parts {
        Decoder& decoder;
        const TokenStore& store;
        const Sampler& sampler;
        Communicator& communicator;
        const CheckpointStore& checkpoints;
        RunControl& control;
        EventSink& sink;
        const Evaluator* evaluator;
        SampleWriter* samples;
    };

    Trainer(Parts parts, const RunConfig& config, std::string dataFingerprint, std::string modelFingerprint);

    /// From the newest checkpoint if there is one, else from step 1, to the last step or a stop request.
    /// `restarted`: the run folder holds records of an earlier start, which may go beyond the checkpoint.
    Result<TrainingOutcome> run(bool restarted);

private:
    /// What a step boundary decided.
    enum class Boundary { GoOn, Leave };

    Status resumeOrStart(bool restarted);
    Status resumeFrom(const CheckpointInfo& checkpoint);
    Status tryLongestBatch();
    Result<TrainingOutcome> loop();
    Status trainStep(std::int64_t step);
    Result<LossSum> accumulate(const Sampler::StepBatch& batch, std::int64_t supervised);
    Status update(const StepEvent& measured, double rate);
    Status countBadStep(const StepEvent& measured);
    Status atBoundary(std::int64_t step);
    Status evaluate(std::int64_t step);
    void judge(std::int64_t step, EvaluationEvent& event);
    Status evaluateBase();
    Status saveCheckpoint();
    Result<Boundary> obey();
    std::optional<std::string> nextCommand();
    void listenDuringEvaluation();
    Result<Boundary> pauseUntilResumed();
    void stopFor(const StopRequest& request);
    Result<TrainingOutcome> end();
    bool isDue(std::int64_t step, double every) const;

    Parts parts_;
    TrainingSettings training_;
    CheckpointSettings checkpoint_;
    EvaluationSettings evaluation_;
    AdamW optimizer_;
    std::int64_t totalSteps_;
    LearningRateSchedule schedule_;
    CancelToken cancel_;
    TrainerState state_;
    std::int64_t savedStep_ = -1;
    std::deque<std::string> waiting_; ///< commands that came while an evaluation ran
    std::int64_t badSteps_ = 0;       ///< non-finite ones in a row
    double lastSave_ = 0;             ///< monotonic seconds
    bool earlyStop_ = false;
    std::optional<TrainingOutcome> outcome_;
};

} // namespace anneal
