#pragma once
#include "core/base/json.h"
#include "core/plan/plan.h"

namespace anneal {

/// This machine with its GPUs as the driver names them.
LocalMachine localMachine();

/// serve's `machine`: {"host", "cpu", "cores", "memory", "gpus": [...], "runs_folder"}
Json machineJson(const fs::path& runsFolder);

} // namespace anneal
