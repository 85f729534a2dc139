#pragma once
#include "core/run/child_process.h"
#include "core/runfolder/run_folder.h"

#include <vector>

namespace anneal {

/// The engine processes of one start of a run, one a rank, with torchrun's environment. They end together.
class RankGroup {
public:
    /// Output of rank N is appended to logs/rank-N.log.
    static Result<RankGroup> start(const RunFolder& folder, int ranks);

    /// How the group ended, or nullopt while one lives. When one dies badly the others are told to end, and
    /// killed when they do not; the first bad end counts.
    std::optional<ProcessEnd> poll();
    void signal(int number);
    std::vector<int> pids() const;

private:
    std::vector<ChildProcess> ranks_;
    std::optional<ProcessEnd> firstBad_;
    double failedAt_ = 0; ///< monotonic
};

} // namespace anneal
