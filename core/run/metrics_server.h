#pragma once
#include "core/runfolder/run_summary.h"

#include <atomic>
#include <thread>

namespace anneal {

/// Answers Prometheus for one run: every GET on its address gets the metrics of that moment.
class MetricsServer {
public:
    /// `address` is host:port, :port or port; without a host only this machine can ask.
    static Result<std::unique_ptr<MetricsServer>> start(const std::string& address, const RunFolder& folder);
    ~MetricsServer();
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    /// The port it listens on, which matters when 0 was asked for.
    int port() const { return port_; }

private:
    MetricsServer(int listener, int port, const RunFolder& folder);
    void serve();
    void answer(int connection);
    std::string metrics();

    int listener_;
    int port_;
    RunFollower run_;
    JsonlFollower telemetry_;
    std::optional<TelemetrySample> sample_;
    std::atomic<bool> ending_{false};
    std::thread thread_;
};

} // namespace anneal
