#pragma once
#include "core/model/lora.h"
#include "core/protocol/record.h"
#include "core/protocol/state.h"
#include "core/runfolder/run_folder.h"
#include "core/train/adamw.h"

#include <optional>
#include <string>

namespace anneal {

/// trainer.json: all that continues a trajectory beside adapter and moments. Random draws need no state: they
/// are functions of seed, step and row.
struct TrainerState {
    std::int64_t step = 0; ///< optimizer steps done
    double epoch = 0;
    std::int64_t optimizer_steps = 0; ///< updates applied; skipped steps do not count
    std::int64_t total_steps = 0;
    std::int64_t tokens = 0;
    std::int64_t seed = 0;
    std::string data_fingerprint, model_fingerprint;
    std::optional<BestResult> best;
    std::int64_t evaluated_step = -1; ///< step of the last evaluation
    std::int64_t evaluations_without_improvement = 0;
    static constexpr auto fields() {
        using T = TrainerState;
        return std::tuple{field("step", &T::step),
                          field("epoch", &T::epoch),
                          field("optimizer_steps", &T::optimizer_steps),
                          field("total_steps", &T::total_steps),
                          field("tokens", &T::tokens),
                          field("seed", &T::seed),
                          field("data_fingerprint", &T::data_fingerprint),
                          field("model_fingerprint", &T::model_fingerprint),
                          field("best", &T::best),
                          field("evaluated_step", &T::evaluated_step),
                          field("evaluations_without_improvement", &T::evaluations_without_improvement)};
    }
};

/// Writes and reads the checkpoints of one run. A checkpoint appears whole, by a rename, or not at all.
class CheckpointStore {
public:
    /// `baseModel` goes into adapter_config.json; `keep` is the number of newest checkpoints to keep.
    CheckpointStore(RunFolder folder, std::string baseModel, std::int64_t keep);

    /// Checks the free space first; then deletes what is beyond `keep`, never the best.
    Result<CheckpointInfo> save(const LoraParameters& lora, AdamW& optimizer,
                                const TrainerState& state) const;

    /// The newest checkpoint whose bytes match its manifest, or nothing.
    std::optional<CheckpointInfo> newest() const;
    /// Fills adapter, moments and state from a checkpoint; a shape that does not fit this run is
    /// InvalidInput.
    Result<TrainerState> load(const CheckpointInfo& checkpoint, LoraParameters& lora, AdamW& optimizer) const;

private:
    void deleteOld(const std::optional<BestResult>& best, std::int64_t newestStep) const;

    RunFolder folder_;
    std::string baseModel_;
    std::int64_t keep_;
};

} // namespace anneal
