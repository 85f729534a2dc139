#pragma once

namespace anneal {

/// Signals that ask this process to end, counted instead of obeyed. SIGPIPE is ignored.
class TerminationSignals {
public:
    /// From now on for the whole process.
    static void install();
    /// SIGTERM and SIGUSR1 (schedulers, spot machines): save and end.
    static int gentle();
    /// SIGINT: the first is Ctrl-C's "save and stop", to a supervisor it means "at once".
    static int interrupts();
};

} // namespace anneal
