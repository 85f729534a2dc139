#include "core/train/tensorboard_sink.h"

namespace anneal {

void TensorBoardSink::emit(const Event& event) {
    if (const auto* step = std::get_if<StepEvent>(&event)) {
        writer_.scalar("train/loss", step->loss, step->step);
        writer_.scalar("train/learning_rate", step->learning_rate, step->step);
        writer_.scalar("train/grad_norm", step->grad_norm, step->step);
        writer_.scalar("train/tokens_per_second", step->tokens_per_second, step->step);
    } else if (const auto* evaluation = std::get_if<EvaluationEvent>(&event)) {
        writer_.scalar("validation/loss", evaluation->loss, evaluation->step);
    }
}

} // namespace anneal
