#include "core/run/telemetry_recorder.h"

#include "core/telemetry/sampler.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace anneal {

TelemetryRecorder::TelemetryRecorder(RunFolder folder)
    : folder_(std::move(folder)), thread_([this] { record(); }) {}

TelemetryRecorder::~TelemetryRecorder() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void TelemetryRecorder::setProcesses(std::vector<int> pids) {
    const std::lock_guard lock(mutex_);
    pids_ = std::move(pids);
}

void TelemetryRecorder::record() {
    auto file = LineAppender::open(folder_.telemetry());
    if (!file) {
        std::fprintf(stderr, "%s\n", file.error().text().c_str());
        return;
    }
    TelemetrySampler sampler;
    std::unique_lock lock(mutex_);
    do {
        auto pids = pids_;
        pids.push_back(::getpid());
        lock.unlock();
        (void)file->append(dumpJson(toJson(sampler.sample(pids)))); // a full disk must not end the run
        lock.lock();
    } while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return ending_; }));
}

} // namespace anneal
