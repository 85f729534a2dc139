#pragma once
#include "core/base/files.h"

#include <chrono>

namespace anneal {

/// Waits until something in a set of folders changes. inotify makes it quick; where that sees nothing
/// (network file systems, no watches left) the time-out of wait() turns it into a poll.
class FolderWatcher {
public:
    FolderWatcher();
    ~FolderWatcher();
    FolderWatcher(const FolderWatcher&) = delete;
    FolderWatcher& operator=(const FolderWatcher&) = delete;

    void add(const fs::path& folder);
    /// True when something changed, false after `timeout` or wake().
    bool wait(std::chrono::milliseconds timeout);
    /// Ends a wait() at once; from any thread or signal handler.
    void wake();

private:
    int inotify_ = -1;
    int wakeEvent_ = -1;
};

} // namespace anneal
