#pragma once
#include "app/cli/progress_view.h"
#include "core/run/launcher.h"
#include "core/runfolder/run_summary.h"
#include "core/runfolder/watcher.h"

namespace anneal::cli {

/// Follows a run from files alone and knows when it is over.
class RunWatch {
public:
    explicit RunWatch(const RunFolder& folder);
    explicit RunWatch(const LaunchedRun& run);

    /// Waits a little for something new; the events that came.
    RunFollower::Update next();
    RunSummary summary() { return follower_.summary(); }
    /// The run has ended, and so has who would say more of it.
    bool over();
    /// Exit code of the command line for the run that is over.
    int exitCode();
    const RunFolder& folder() const { return follower_.folder(); }
    /// A supervisor that was started by us ended before the run began.
    bool neverBegan();

private:
    bool supervisorLives() const;

    RunFollower follower_;
    FolderWatcher watcher_;
    int supervisor_ = 0; ///< pid, 0: unknown
    std::uint64_t supervisorStart_ = 0;
    double overSince_ = 0; ///< monotonic
};

/// Follows a run that this command started to its end and tells of it: Ctrl-C saves and stops it, a second
/// one stops it at once. Ends with the table, or with the JSON of `show`. Returns the exit code.
int followToTheEnd(const LaunchedRun& run, bool json);

} // namespace anneal::cli
