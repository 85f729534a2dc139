#pragma once
#include "core/base/files.h"

namespace anneal {

/// Carries out a job file, speaks JSONL on standard output and returns the exit code (0, 1 or 2).
int runJob(const fs::path& path);

} // namespace anneal
