#include "core/train/run_session.h"

#include "core/base/system.h"
#include "core/data/prepare.h"
#include "core/runfolder/run_folder.h"
#include "core/runfolder/tensorboard.h"
#include "core/schema/config_io.h"
#include "core/train/machine.h"
#include "core/train/memory_budget.h"
#include "core/train/prompt_samples.h"
#include "core/train/run_folder_sink.h"
#include "core/train/tensorboard_sink.h"
#include "core/train/trainer.h"

#include <algorithm>
#include <cstdio>

namespace anneal {

namespace {

int exitCode(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::InvalidInput: return 2;
    case ErrorKind::Stopped: return 4;
    default: return 3;
    }
}

Result<LoadedConfig> readRunConfig(const RunFolder& folder) {
    ANNEAL_TRY(auto loaded, loadConfig(folder.config()));
    for (const auto& problem : validate(loaded))
        if (problem.severity == Severity::Error)
            return invalidInput(problem.text, problem.fix);
    return loaded;
}

/// The data the run was started with, even when its sources have changed since; else prepared now.
Result<PreparedData> openData(const LoadedConfig& loaded, const ModelSource& model, EventSink& sink,
                              const CancelToken& cancel) {
    const fs::path folder = loaded.resolved.value("data_folder", std::string());
    if (!folder.empty() && fs::exists(folder))
        return openPreparedData(folder);
    const auto report = [&](const PrepareProgress& p) {
        sink.emit(PhaseEvent{"preparing data: " + p.phase, p.done, p.total, p.unit});
    };
    return prepareData(loaded.config, model, report, cancel);
}

/// Everything a run needs, in the order in which it is built.
class Session {
public:
    Session(RunFolder folder, EventSink& sink, RunControl& control)
        : folder_(std::move(folder)), sink_(sink), control_(control) {}

    Result<TrainingOutcome> run() {
        ANNEAL_TRY(loaded_, readRunConfig(folder_));
        ANNEAL_TRY(compute_, chooseCompute(config().model, config().hardware));
        ANNEAL_TRY(communicator_, communicatorFromEnvironment());
        ANNEAL_TRY(model_, openModel(config().model.path));
        ANNEAL_TRY(tokenizer_, loadTokenizer(*model_));
        ANNEAL_TRY(data_, openData(loaded_, *model_, sink_, cancel_));
        ANNEAL_CHECK(loadDecoder());
        return train();
    }

private:
    const RunConfig& config() const { return loaded_.config; }

    bool checkpointing() const {
        const auto& choice = config().training.gradient_checkpointing;
        return choice == "on" ||
               (choice == "auto" && needsCheckpointing(model_->config(), config(), *compute_));
    }

    Status loadDecoder() {
        DecoderOptions options;
        options.compute_dtype = compute_->dtype;
        options.quantization = config().quantization;
        options.lora = config().lora;
        options.gradient_checkpointing = checkpointing();
        options.seed = static_cast<std::uint64_t>(config().training.seed);
        options.adapter = config().lora.init_adapter.value_or("");
        const auto progress = [&](std::int64_t done, std::int64_t total) {
            sink_.emit(PhaseEvent{"loading model", done, total, "tensors"});
            if (control_.stopRequest())
                cancel_.cancel();
        };
        ANNEAL_TRY(decoder_, Decoder::load(model_, options, progress, cancel_));
        return {};
    }

    void announce(const Sampler& sampler) {
        StartedEvent started;
        started.program_version = ANNEAL_VERSION;
        started.max_steps = sampler.totalSteps();
        started.steps_per_epoch = sampler.stepsPerEpoch();
        started.trainable_parameters = decoder_->lora().values().numel();
        started.total_parameters = decoder_->totalParameters();
        started.device = compute_->device + ": " + compute_->description;
        started.dtype = dtypeName(compute_->dtype);
        sink_.emit(started);
    }

    Result<TrainingOutcome> train() {
        const Sampler sampler(data_->train, config().data, config().training);
        const auto stops = stopTokens(*tokenizer_, model_->config());
        const Evaluator evaluator(config().evaluation, config().training.per_device_eval_batch_size,
                                  data_->validation, *tokenizer_, stops);
        ANNEAL_TRY(auto samples, PromptSamples::create(config(), *model_, *tokenizer_, stops));
        const CheckpointStore checkpoints(folder_, config().model.path, config().checkpoint.keep);
        announce(sampler);
        Trainer trainer({*decoder_, data_->train, sampler, *communicator_, checkpoints, control_, sink_,
                         data_->validation.rows() > 0 ? &evaluator : nullptr, &samples},
                        config(), data_->train.fingerprint(), model_->fingerprint());
        return trainer.run(hasSteps(folder_));
    }

    /// An earlier start left records of steps behind; the state may be older than the last of them.
    static bool hasSteps(const RunFolder& folder) {
        const auto state = readState(folder);
        if (state && state->step > 0)
            return true;
        const auto events = readEvents(folder);
        return events && std::ranges::any_of(*events, [](const EventRecord& record) {
                   return std::holds_alternative<StepEvent>(record.event);
               });
    }

    RunFolder folder_;
    EventSink& sink_;
    RunControl& control_;
    CancelToken cancel_;
    LoadedConfig loaded_;
    std::optional<Compute> compute_;
    std::unique_ptr<Communicator> communicator_;
    std::shared_ptr<const ModelSource> model_;
    std::shared_ptr<const Tokenizer> tokenizer_;
    std::optional<PreparedData> data_;
    std::unique_ptr<Decoder> decoder_;
};

/// LibTorch reports by exceptions; they become errors here and nowhere above.
Result<TrainingOutcome> runGuarded(Session& session) {
    try {
        return session.run();
    } catch (const std::bad_alloc&) {
        return Error{"Memory ran out.", "Lower training.per_device_batch_size or data.max_length.",
                     ErrorKind::RunFailed};
    } catch (const std::exception& error) {
        return Error{std::string("The engine failed: ") + error.what(), "See logs/rank-0.log.",
                     ErrorKind::RunFailed};
    }
}

int finish(EventSink& sink, const Result<TrainingOutcome>& result, double seconds) {
    if (!result) {
        const auto& error = result.error();
        std::fprintf(stderr, "%s\n", error.text().c_str());
        const bool stopped = error.kind == ErrorKind::Stopped;
        if (!stopped)
            sink.emit(ErrorEvent{0, error.message, error.fix});
        const auto status = stopped ? RunStatus::Stopped : RunStatus::Failed;
        sink.emit(FinishedEvent{0, statusName(status), error.message, seconds});
        sink.setStatus(status, error.text());
        return exitCode(error.kind);
    }
    sink.emit(FinishedEvent{result->step, statusName(result->status), result->reason, seconds});
    sink.setStatus(result->status, result->reason);
    return result->status == RunStatus::Finished ? 0 : 4;
}

} // namespace

int runFromFolder(const fs::path& path) {
    const RunFolder folder(fs::absolute(path));
    auto opened = RunFolderSink::open(folder);
    if (!opened) {
        std::fprintf(stderr, "%s\n", opened.error().text().c_str());
        return exitCode(opened.error().kind);
    }
    FanOut sinks;
    sinks.add(*std::move(opened));
    if (auto board = TensorBoardWriter::open(folder.tensorboard()))
        sinks.add(std::make_unique<TensorBoardSink>(*std::move(board)));
    FolderControl control(folder);
    const double start = monotonicSeconds();
    Session session(folder, sinks, control);
    const auto outcome = runGuarded(session);
    return finish(sinks, outcome, monotonicSeconds() - start);
}

} // namespace anneal
