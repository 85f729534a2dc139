#pragma once
#include "core/base/files.h"

namespace anneal {

/// Carries a run out: prepares its data, starts the engine, restarts it after a crash, samples the machine,
/// notifies. Leaves no process behind. Returns the exit code of the command line: 0 finished, 2 invalid
/// input, 3 failed, 4 stopped; 1 when another supervisor has the run.
int superviseRun(const fs::path& runFolder);

} // namespace anneal
