#include "core/train/run_folder_sink.h"

#include "core/base/system.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace anneal {

namespace {

constexpr auto heartbeatInterval = std::chrono::seconds(5);

void complain(const Error& error) { std::fprintf(stderr, "%s\n", error.text().c_str()); }

} // namespace

Result<std::unique_ptr<RunFolderSink>> RunFolderSink::open(const RunFolder& folder) {
    ANNEAL_TRY(auto writer, EventWriter::open(folder));
    auto state = readState(folder);
    RunState start = state ? *state : RunState{};
    start.host = hostName();
    start.boot_id = bootId();
    start.pid = ::getpid();
    start.pid_start_time = processStartTime(::getpid());
    start.reason.clear();
    return std::unique_ptr<RunFolderSink>(new RunFolderSink(folder, std::move(writer), std::move(start)));
}

RunFolderSink::RunFolderSink(RunFolder folder, EventWriter writer, RunState state)
    : folder_(std::move(folder)), writer_(std::move(writer)), state_(std::move(state)),
      activeBefore_(state_.active_seconds), startedAt_(monotonicSeconds()), heart_([this] { beat(); }) {}

RunFolderSink::~RunFolderSink() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    heart_.join();
}

void RunFolderSink::beat() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
        saveState();
        wake_.wait_for(lock, heartbeatInterval, [this] { return ending_; });
    }
}

void RunFolderSink::emit(const Event& event) {
    const std::lock_guard lock(mutex_);
    follow(event);
    if (const auto written = writer_.write(event); !written)
        complain(written.error());
}

void RunFolderSink::follow(const Event& event) {
    if (const auto* step = std::get_if<StepEvent>(&event)) {
        state_.step = step->step;
    } else if (const auto* started = std::get_if<StartedEvent>(&event)) {
        state_.max_steps = started->max_steps;
    } else if (const auto* resumed = std::get_if<ResumedEvent>(&event)) {
        state_.step = resumed->step;
    } else if (const auto* phase = std::get_if<PhaseEvent>(&event); phase && phase->name != state_.phase) {
        state_.phase = phase->name;
        saveState();
    }
}

void RunFolderSink::setStatus(RunStatus status, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    const double now = monotonicSeconds();
    if (status == RunStatus::Paused && pausedSince_ == 0)
        pausedSince_ = now;
    if (status != RunStatus::Paused && pausedSince_ != 0)
        pausedSeconds_ += now - std::exchange(pausedSince_, 0);
    state_.status = status;
    state_.reason = reason;
    saveState();
}

void RunFolderSink::saveState() {
    const double now = monotonicSeconds();
    const double paused = pausedSeconds_ + (pausedSince_ != 0 ? now - pausedSince_ : 0);
    state_.heartbeat = unixSeconds();
    state_.active_seconds = activeBefore_ + now - startedAt_ - paused;
    if (const auto written = writeState(folder_, state_); !written)
        complain(written.error());
}

} // namespace anneal
