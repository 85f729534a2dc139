#pragma once
#include "core/protocol/state.h"

namespace anneal {

/// After so many seconds without a heartbeat a run counts as interrupted.
constexpr double staleHeartbeatSeconds = 30;

/// Whether the process that wrote `state` lives on this very host and boot; nullopt when that cannot be known
/// here.
std::optional<bool> processLives(const RunState& state);

/// The status a viewer should see: what claims to be active but has a stale heartbeat, or whose process is
/// gone on this host and boot, reads as interrupted. `now` is in unix seconds.
RunStatus effectiveStatus(const RunState& state, double now);

/// Whether somebody still answers for the run, so that it must not be started again.
bool isAlive(const RunState& state, double now);

} // namespace anneal
