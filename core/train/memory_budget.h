#pragma once
#include "core/modelfile/model_config.h"
#include "core/schema/run_config.h"
#include "core/train/machine.h"

namespace anneal {

/// Bytes of activations that one micro-batch keeps for its backward without gradient checkpointing.
double activationBytes(const ModelConfig& model, const RunConfig& config, at::ScalarType dtype);

/// Whether `gradient_checkpointing: auto` turns it on: the activations would take more than half of what is
/// free.
bool needsCheckpointing(const ModelConfig& model, const RunConfig& config, const Compute& compute);

} // namespace anneal
