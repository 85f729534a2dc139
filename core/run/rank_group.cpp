#include "core/run/rank_group.h"

#include "core/base/system.h"

#include <arpa/inet.h>
#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace anneal {

namespace {

/// How long the other ranks may take to end after one died.
constexpr double graceSeconds = 15;
constexpr int usualMasterPort = 29500; ///< torchrun's

/// A port of the loopback interface that was free a moment ago.
int freePort() {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    const bool found = descriptor >= 0 && ::bind(descriptor, any, length) == 0 &&
                       ::getsockname(descriptor, any, &length) == 0;
    if (descriptor >= 0)
        ::close(descriptor);
    return found ? ntohs(address.sin_port) : usualMasterPort;
}

std::map<std::string, std::string> rankEnvironment(int rank, int ranks, int port) {
    return {{"MASTER_ADDR", "127.0.0.1"},          {"MASTER_PORT", std::to_string(port)},
            {"RANK", std::to_string(rank)},        {"LOCAL_RANK", std::to_string(rank)},
            {"WORLD_SIZE", std::to_string(ranks)}, {"LOCAL_WORLD_SIZE", std::to_string(ranks)}};
}

} // namespace

Result<RankGroup> RankGroup::start(const RunFolder& folder, int ranks) {
    ANNEAL_TRY(const auto engine, enginePath());
    const int port = ranks > 1 ? freePort() : usualMasterPort;
    RankGroup group;
    for (int rank = 0; rank < ranks; ++rank) {
        ProcessSpec spec;
        spec.arguments = {engine.string(), "--run", folder.path().string()};
        spec.environment = rankEnvironment(rank, ranks, port);
        spec.log = folder.logs() / ("rank-" + std::to_string(rank) + ".log");
        ANNEAL_TRY(auto child, ChildProcess::start(spec));
        group.ranks_.push_back(std::move(child));
    }
    return group;
}

std::optional<ProcessEnd> RankGroup::poll() {
    bool allEnded = true;
    std::optional<ProcessEnd> last;
    for (auto& rank : ranks_) {
        const auto end = rank.poll();
        allEnded = allEnded && end;
        last = end ? end : last;
        if (end && (end->exitCode != 0 || end->signal != 0) && !firstBad_) {
            firstBad_ = end;
            failedAt_ = monotonicSeconds();
            signal(SIGTERM);
        }
    }
    if (allEnded)
        return firstBad_ ? firstBad_ : last;
    if (firstBad_ && monotonicSeconds() - failedAt_ > graceSeconds)
        signal(SIGKILL);
    return std::nullopt;
}

void RankGroup::signal(int number) {
    for (auto& rank : ranks_)
        rank.signal(number);
}

std::vector<int> RankGroup::pids() const {
    std::vector<int> pids;
    for (const auto& rank : ranks_)
        pids.push_back(rank.pid());
    return pids;
}

} // namespace anneal
