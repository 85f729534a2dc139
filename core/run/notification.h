#pragma once
#include "core/protocol/state.h"
#include "core/schema/run_config.h"

#include <functional>

namespace anneal {

/// Tells the outside how a run ended, by the command and the webhook of its configuration if they are there:
/// `notify` names the status. Failures go to standard error. Takes at most a minute.
void notifyEnd(const NotifySettings& settings, const RunSummary& summary);

/// Waits `delay_minutes`, then runs the command. `abandoned` (asked once a second) ends the wait without it.
void runOnExit(const OnExitSettings& settings, const RunSummary& summary,
               const std::function<bool()>& abandoned);

} // namespace anneal
