#pragma once
#include "core/base/cancel.h"
#include "core/data/prepare.h"
#include "core/runfolder/run_folder.h"
#include "core/schema/config_io.h"

namespace anneal {

/// Prepares the data of a run and notes in run.yaml where it lies. Data that an earlier start prepared is
/// used again, even when its sources have changed since. Rank-independent: it runs once, before any engine.
Status prepareRun(const RunFolder& folder, const PrepareCallback& progress, const CancelToken& cancel);

/// `prepare`'s --json: {"folder", "train": {...}, "validation": {...}}
Json preparedJson(const PreparedData& data);

/// Passes a progress on when its phase changes and about once a second.
class ProgressThrottle {
public:
    bool due(const std::string& phase);

private:
    std::string phase_;
    double last_ = 0;
};

} // namespace anneal
