#include "core/run/state_keeper.h"

#include "core/base/system.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace anneal {

namespace {
constexpr auto beatInterval = std::chrono::milliseconds(500);
constexpr double saveInterval = 5; ///< seconds
} // namespace

StateKeeper::StateKeeper(RunFolder folder, RunStatus status, std::string reason, std::function<void()> onBeat)
    : folder_(std::move(folder)), onBeat_(std::move(onBeat)), startedAt_(monotonicSeconds()) {
    if (const auto state = readState(folder_))
        state_ = *state;
    activeBefore_ = state_.active_seconds;
    state_.host = hostName();
    state_.boot_id = bootId();
    state_.pid = ::getpid();
    state_.pid_start_time = processStartTime(::getpid());
    state_.phase.clear();
    setStatus(status, reason);
    thread_ = std::thread([this] { beat(); });
}

StateKeeper::~StateKeeper() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    thread_.join();
    save();
}

void StateKeeper::setStatus(RunStatus status, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    state_.status = status;
    state_.reason = reason;
    save();
}

void StateKeeper::setPhase(const std::string& phase) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(state_.phase, phase) != phase)
        save();
}

void StateKeeper::beat() {
    double saved = monotonicSeconds();
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, beatInterval, [this] { return ending_; })) {
        if (monotonicSeconds() - saved >= saveInterval) {
            save();
            saved = monotonicSeconds();
        }
        lock.unlock();
        if (onBeat_)
            onBeat_();
        lock.lock();
    }
}

void StateKeeper::save() {
    state_.heartbeat = unixSeconds();
    state_.active_seconds = activeBefore_ + monotonicSeconds() - startedAt_;
    if (const auto written = writeState(folder_, state_); !written)
        std::fprintf(stderr, "%s\n", written.error().text().c_str());
}

} // namespace anneal
