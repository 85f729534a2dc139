#pragma once
#include "core/runfolder/run_folder.h"

#include <string>

namespace anneal {

/// Asks a run for something and waits a little for its answer. Each returns one sentence for a person; asking
/// what makes no sense (stop a finished run) is InvalidInput.
Result<std::string> stopRun(const RunFolder& folder, double waitSeconds);
Result<std::string> pauseRun(const RunFolder& folder, double waitSeconds);
Result<std::string> saveRun(const RunFolder& folder, double waitSeconds);
/// Continues a paused run by a command, every other one by a new start.
Result<std::string> resumeRun(const RunFolder& folder, double waitSeconds);
/// Deletes the folder of a run that nobody answers for.
Result<std::string> deleteRun(const RunFolder& folder);

} // namespace anneal
