#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace anneal {

LearningRateSchedule::LearningRateSchedule(const TrainingSettings& training, std::int64_t totalSteps)
    : kind_(training.scheduler == "constant" ? Kind::Constant
            : training.scheduler == "linear" ? Kind::Linear
                                             : Kind::Cosine),
      peak_(training.learning_rate), floor_(training.min_lr_ratio),
      warmupSteps_(training.warmup_steps.value_or(
          static_cast<std::int64_t>(std::ceil(training.warmup_ratio * static_cast<double>(totalSteps))))),
      totalSteps_(totalSteps) {}

double LearningRateSchedule::rate(std::int64_t step) const {
    const std::int64_t t = step - 1;
    if (t < warmupSteps_)
        return peak_ * static_cast<double>(t) / static_cast<double>(std::max<std::int64_t>(1, warmupSteps_));
    const auto span = static_cast<double>(std::max<std::int64_t>(1, totalSteps_ - warmupSteps_));
    return peak_ * (floor_ + (1 - floor_) * decay(static_cast<double>(t - warmupSteps_) / span));
}

double LearningRateSchedule::decay(double progress) const {
    switch (kind_) {
    case Kind::Constant: return 1;
    case Kind::Linear: return std::max(0.0, 1 - progress);
    case Kind::Cosine: return std::max(0.0, 0.5 * (1 + std::cos(std::numbers::pi * progress)));
    }
    return 1;
}

} // namespace anneal
