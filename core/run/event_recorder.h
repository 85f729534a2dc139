#pragma once
#include "core/runfolder/run_folder.h"

#include <mutex>

namespace anneal {

/// Writes events of the supervisor while no engine lives. Opens the file for each of them, so that the engine
/// finds no second writer.
class EventRecorder {
public:
    explicit EventRecorder(RunFolder folder) : folder_(std::move(folder)) {}
    /// A failure goes to standard error: the run goes on.
    void write(Event event);

private:
    RunFolder folder_;
    std::mutex mutex_;
};

} // namespace anneal
