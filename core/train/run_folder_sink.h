#pragma once
#include "core/runfolder/run_folder.h"
#include "core/train/sink.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace anneal {

/// Writes events.jsonl and state.json, and keeps the heartbeat fresh from a thread of its own, since one
/// optimizer step of a large model may outlast the time after which a run counts as interrupted.
class RunFolderSink final : public EventSink {
public:
    static Result<std::unique_ptr<RunFolderSink>> open(const RunFolder& folder);
    ~RunFolderSink() override;

    void emit(const Event& event) override;
    void setStatus(RunStatus status, const std::string& reason) override;

private:
    RunFolderSink(RunFolder folder, EventWriter writer, RunState state);
    void beat();
    void follow(const Event& event);
    void saveState();

    RunFolder folder_;
    EventWriter writer_;
    RunState state_;
    double activeBefore_ = 0; ///< active_seconds of earlier starts
    double startedAt_ = 0;    ///< monotonic
    double pausedSince_ = 0;  ///< monotonic, 0 while not paused
    double pausedSeconds_ = 0;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    std::thread heart_;
};

} // namespace anneal
