#include "core/protocol/state.h"

#include <array>

namespace anneal {

namespace {
/// In the order of RunStatus.
constexpr std::array statusNames{"queued",   "preparing", "running", "paused",     "stopping",
                                 "finished", "stopped",   "failed",  "interrupted"};
static_assert(statusNames.size() == static_cast<std::size_t>(RunStatus::Interrupted) + 1);
} // namespace

const char* statusName(RunStatus status) { return statusNames[static_cast<std::size_t>(status)]; }

std::optional<RunStatus> statusFromName(std::string_view name) {
    for (std::size_t i = 0; i < statusNames.size(); ++i)
        if (name == statusNames[i])
            return static_cast<RunStatus>(i);
    return std::nullopt;
}

bool isActive(RunStatus status) {
    return status == RunStatus::Preparing || status == RunStatus::Running || status == RunStatus::Paused ||
           status == RunStatus::Stopping;
}

bool fromJson(const Json& json, RunStatus& status) {
    const auto named = json.is_string() ? statusFromName(json.get<std::string>()) : std::nullopt;
    if (named)
        status = *named;
    return named.has_value();
}

} // namespace anneal
