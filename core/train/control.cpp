#include "core/train/control.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace anneal {

namespace {

std::atomic<int> caughtSignal{0};
static_assert(std::atomic<int>::is_always_lock_free, "set from a signal handler");

void remember(int signal) { caughtSignal.store(signal); }

/// Under torchrun standard input is whatever the shell gave; only a supervisor hands us a pipe that means
/// something.
bool standardInputIsSupervisor() {
    struct stat info {};
    return ::fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) &&
           !std::getenv("TORCHELASTIC_RUN_ID");
}

bool pipeIsClosed() {
    pollfd descriptor{STDIN_FILENO, POLLIN, 0};
    if (::poll(&descriptor, 1, 0) <= 0)
        return false;
    if (descriptor.revents & (POLLHUP | POLLERR | POLLNVAL))
        return true;
    char ignored[256];
    return ::read(STDIN_FILENO, ignored, sizeof ignored) == 0;
}

const char* signalName(int signal) {
    switch (signal) {
    case SIGTERM: return "SIGTERM";
    case SIGUSR1: return "SIGUSR1";
    default: return "SIGINT";
    }
}

} // namespace

FolderControl::FolderControl(RunFolder folder)
    : folder_(std::move(folder)), watchesPipe_(standardInputIsSupervisor()) {
    struct sigaction action {};
    action.sa_handler = remember;
    for (const int signal : {SIGTERM, SIGUSR1, SIGINT})
        ::sigaction(signal, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

std::optional<StopRequest> FolderControl::stopRequest() {
    if (const int signal = caughtSignal.load())
        return StopRequest{std::string("received ") + signalName(signal)};
    if (watchesPipe_ && pipeIsClosed())
        return StopRequest{"the supervisor ended", true};
    return std::nullopt;
}

std::optional<std::string> FolderControl::takeCommand() {
    const auto command = anneal::takeCommand(folder_);
    return command ? std::optional(command->command) : std::nullopt;
}

} // namespace anneal
