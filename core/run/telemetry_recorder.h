#pragma once
#include "core/runfolder/run_folder.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace anneal {

/// Appends a sample a second to telemetry.jsonl from a thread of its own, as long as it lives.
class TelemetryRecorder {
public:
    explicit TelemetryRecorder(RunFolder folder);
    ~TelemetryRecorder();
    TelemetryRecorder(const TelemetryRecorder&) = delete;
    TelemetryRecorder& operator=(const TelemetryRecorder&) = delete;

    /// The run's processes besides this one, from now on.
    void setProcesses(std::vector<int> pids);

private:
    void record();

    RunFolder folder_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<int> pids_;
    bool ending_ = false;
    std::thread thread_;
};

} // namespace anneal
