#include "core/runfolder/run_status.h"

#include "core/base/system.h"

namespace anneal {

std::optional<bool> processLives(const RunState& state) {
    if (state.pid <= 0 || state.host != hostName())
        return std::nullopt;
    if (state.boot_id != bootId())
        return false; // the host has been started again since
    return processStartTime(static_cast<int>(state.pid)) == state.pid_start_time;
}

RunStatus effectiveStatus(const RunState& state, double now) {
    if (!isActive(state.status))
        return state.status;
    const bool stale = now - state.heartbeat > staleHeartbeatSeconds;
    return stale || !processLives(state).value_or(true) ? RunStatus::Interrupted : state.status;
}

bool isAlive(const RunState& state, double now) { return isActive(effectiveStatus(state, now)); }

} // namespace anneal
