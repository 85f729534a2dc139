#include "core/run/serve_output.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace anneal {

void ServeOutput::send(const Json& message) {
    const auto line = dumpJson(message) + "\n";
    const std::lock_guard lock(mutex_);
    for (std::string_view rest = line; !rest.empty() && !broken_;) {
        const auto written = ::write(descriptor_, rest.data(), rest.size());
        if (written >= 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            broken_ = true;
    }
}

bool ServeOutput::clientGone() const {
    pollfd descriptor{descriptor_, 0, 0};
    return broken_ ||
           (::poll(&descriptor, 1, 0) > 0 && (descriptor.revents & (POLLERR | POLLHUP | POLLNVAL)));
}

void ServeOutput::notify(std::int64_t subscription, const char* notice, Json params) {
    send(toJson(Notice{subscription, notice, std::move(params)}));
}

} // namespace anneal
