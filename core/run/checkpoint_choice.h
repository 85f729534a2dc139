#pragma once
#include "core/runfolder/run_folder.h"

#include <optional>
#include <string>

namespace anneal {

/// A checkpoint with what evaluation found of it.
struct RatedCheckpoint {
    CheckpointInfo info;
    std::optional<double> validation_loss;
    bool best = false;
};

/// Valid checkpoints in ascending order of step. Best is the one with the lowest validation loss.
std::vector<RatedCheckpoint> rateCheckpoints(const RunFolder& folder);

/// `choice`: a step, "best" (the last one when nothing was evaluated) or "last".
Result<CheckpointInfo> chooseCheckpoint(const RunFolder& folder, const std::string& choice);

/// serve's `checkpoints`: {"checkpoints": [{"step", "bytes", "validation_loss", "best"}]}
Json checkpointsJson(const RunFolder& folder);

} // namespace anneal
