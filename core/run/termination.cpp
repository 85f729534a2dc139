#include "core/run/termination.h"

#include <atomic>
#include <csignal>

namespace anneal {

namespace {
std::atomic<int> gentleCount{0}, interruptCount{0};
static_assert(std::atomic<int>::is_always_lock_free, "counted in a signal handler");

void count(int signal) { ++(signal == SIGINT ? interruptCount : gentleCount); }
} // namespace

void TerminationSignals::install() {
    struct sigaction action {};
    action.sa_handler = count;
    for (const int signal : {SIGTERM, SIGUSR1, SIGINT})
        ::sigaction(signal, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

int TerminationSignals::gentle() { return gentleCount.load(); }
int TerminationSignals::interrupts() { return interruptCount.load(); }

} // namespace anneal
