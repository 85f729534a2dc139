#pragma once
#include "core/runfolder/run_folder.h"

namespace anneal {

/// One rank of a run from its folder to its end: reads run.yaml, builds model, data, sinks and trainer,
/// trains, and leaves state.json and the last event behind. Returns the exit code (0 done, 2 invalid input, 3
/// failed, 4 stopped).
int runFromFolder(const fs::path& folder);

} // namespace anneal
