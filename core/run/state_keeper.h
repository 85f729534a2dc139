#pragma once
#include "core/runfolder/run_folder.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace anneal {

/// Speaks for a run in state.json while no engine does: keeps the heartbeat fresh from a thread of its own,
/// since preparing data may take long. Ends with a last write; then the engine may take over.
class StateKeeper {
public:
    /// Takes the run over as this process. `onBeat` is called about twice a second from the thread.
    StateKeeper(RunFolder folder, RunStatus status, std::string reason, std::function<void()> onBeat);
    ~StateKeeper();
    StateKeeper(const StateKeeper&) = delete;
    StateKeeper& operator=(const StateKeeper&) = delete;

    void setStatus(RunStatus status, const std::string& reason);
    void setPhase(const std::string& phase);

private:
    void beat();
    void save();

    RunFolder folder_;
    RunState state_;
    std::function<void()> onBeat_;
    double activeBefore_;
    double startedAt_; ///< monotonic
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    std::thread thread_;
};

} // namespace anneal
