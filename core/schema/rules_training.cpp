#include "core/base/text.h"
#include "core/schema/checker.h"

#include <cmath>

namespace anneal::schema {

namespace {

/// Below this a schedule hardly unfolds.
constexpr std::int64_t fewSteps = 50;

void checkWarmup(Checker& checker, const TrainingSettings& training) {
    if (training.max_steps && training.warmup_steps && *training.warmup_steps >= *training.max_steps)
        checker.warning("training.warmup_steps",
                        "The warm-up is as long as the run, so the learning rate never peaks",
                        "Make it shorter than training.max_steps.");
    else if (!training.warmup_steps && training.warmup_ratio > 0.5 && training.warmup_ratio <= 1)
        checker.warning("training.warmup_ratio", "The warm-up takes more than half of the run",
                        "0.03 is usual.");
}

/// Settings that count steps may be a share below 1; above, only whole numbers mean something.
void checkInterval(Checker& checker, std::string_view key, double every) {
    if (every > 1 && every != std::floor(every))
        checker.error(key,
                      std::string(key) + " must be a whole number of steps or a share below 1, not " +
                          formatDouble(every),
                      "Write " + std::to_string(static_cast<long long>(every)) + ".");
}

bool validates(const RunConfig& config) {
    const auto share = parseDouble(config.data.validation);
    return !share || *share > 0;
}

} // namespace

void checkTraining(Checker& checker) {
    const auto& training = checker.config().training;
    checkWarmup(checker, training);
    if (training.learning_rate > 0.01 && training.learning_rate <= 10)
        checker.warning("training.learning_rate",
                        "A learning rate of " + formatDouble(training.learning_rate) +
                            " mostly ruins the model",
                        "1e-5 to 5e-4 is usual for LoRA.");
    if (training.max_steps && *training.max_steps > 0 && *training.max_steps < fewSteps)
        checker.note("training.max_steps", "A run of fewer than 50 steps mostly learns little",
                     "Leave training.max_steps out to train for " + formatDouble(training.epochs) +
                         " epochs.");
}

void checkEvaluation(Checker& checker) {
    const auto& config = checker.config();
    checkInterval(checker, "evaluation.every_steps", config.evaluation.every_steps);
    checkInterval(checker, "checkpoint.every_steps", config.checkpoint.every_steps);
    if (config.checkpoint.every_steps == 0 && config.checkpoint.every_minutes == 0)
        checker.warning("checkpoint.every_steps",
                        "Nothing is saved before the end, so a crash loses the whole run",
                        "Set checkpoint.every_steps.");
    if (config.training.max_steps &&
        config.checkpoint.every_steps >= static_cast<double>(*config.training.max_steps) &&
        config.checkpoint.every_minutes == 0)
        checker.warning("checkpoint.every_steps",
                        "The first checkpoint is due at the end, so a crash loses the whole run",
                        "Save more often than every training.max_steps.");
    if (config.evaluation.early_stopping.patience > 0 &&
        (!validates(config) || config.evaluation.every_steps == 0))
        checker.error("evaluation.early_stopping.patience",
                      "Early stopping needs validation data and evaluations during the run",
                      "Set data.validation and evaluation.every_steps, or set the patience to 0.");
    for (const auto& prompt : config.evaluation.prompts)
        if (trim(prompt).empty())
            checker.error("evaluation.prompts", "A sample prompt is empty", "Remove it.");
}

} // namespace anneal::schema
