#include "core/runfolder/watcher.h"

#include <array>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <thread>
#include <unistd.h>

namespace anneal {

namespace {
constexpr std::uint32_t changes = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE;

void drain(int descriptor) {
    std::array<char, 8192> ignored;
    while (::read(descriptor, ignored.data(), ignored.size()) > 0) {
    }
}
} // namespace

FolderWatcher::FolderWatcher()
    : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      wakeEvent_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

FolderWatcher::~FolderWatcher() {
    for (const int descriptor : {inotify_, wakeEvent_})
        if (descriptor >= 0)
            ::close(descriptor);
}

void FolderWatcher::add(const fs::path& folder) {
    if (inotify_ >= 0)
        ::inotify_add_watch(inotify_, folder.c_str(), changes);
}

bool FolderWatcher::wait(std::chrono::milliseconds timeout) {
    std::array<pollfd, 2> descriptors{pollfd{inotify_, POLLIN, 0}, pollfd{wakeEvent_, POLLIN, 0}};
    if (::poll(descriptors.data(), descriptors.size(), static_cast<int>(timeout.count())) <= 0)
        return false;
    const bool changed = descriptors[0].revents != 0;
    if (changed)
        drain(inotify_);
    if (descriptors[1].revents != 0)
        drain(wakeEvent_);
    return changed;
}

void FolderWatcher::wake() {
    const std::uint64_t one = 1;
    if (wakeEvent_ >= 0)
        (void)!::write(wakeEvent_, &one, sizeof one);
}

} // namespace anneal
