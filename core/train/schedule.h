#pragma once
#include "core/schema/run_config.h"

#include <cstdint>

namespace anneal {

/// Learning rate by step, as transformers' get_*_schedule_with_warmup: step 1 is t = 0, so warm-up starts at
/// rate 0.
class LearningRateSchedule {
public:
    LearningRateSchedule(const TrainingSettings& training, std::int64_t totalSteps);

    /// The rate applied in the 1-based optimizer step.
    double rate(std::int64_t step) const;
    std::int64_t warmupSteps() const { return warmupSteps_; }

private:
    double decay(double progress) const;

    enum class Kind { Constant, Linear, Cosine } kind_;
    double peak_, floor_;
    std::int64_t warmupSteps_, totalSteps_;
};

} // namespace anneal
