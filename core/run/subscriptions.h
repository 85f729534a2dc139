#pragma once
#include "core/run/serve_output.h"
#include "core/runfolder/run_summary.h"
#include "core/runfolder/watcher.h"

#include <map>
#include <memory>
#include <thread>

namespace anneal {

/// Something that is followed: sends what is new.
class Subscription {
public:
    virtual ~Subscription() = default;
    virtual void send(std::int64_t id, ServeOutput& output) = 0;
};

/// Events, telemetry, log and summary of one run.
class RunSubscription final : public Subscription {
public:
    explicit RunSubscription(const RunFolder& folder);
    void send(std::int64_t id, ServeOutput& output) override;

private:
    void sendEvents(std::int64_t id, ServeOutput& output);
    void sendLog(std::int64_t id, ServeOutput& output);

    RunFollower run_;
    JsonlFollower telemetry_;
    LineFollower supervisorLog_, engineLog_;
    Json lastSummary_;
};

/// The summaries of all runs in a folder, when one of them changed.
class RunsSubscription final : public Subscription {
public:
    explicit RunsSubscription(fs::path runs) : runs_(std::move(runs)) {}
    void send(std::int64_t id, ServeOutput& output) override;

private:
    fs::path runs_;
    std::map<std::string, RunFollower> followers_;
    Json last_;
    double lookedAt_ = 0; ///< monotonic
};

/// One thread that follows everything a client subscribed to: at once when a file changes, yet at most about
/// ten times a second; once a second where no change is seen.
class Subscriptions {
public:
    explicit Subscriptions(ServeOutput& output);
    ~Subscriptions();
    Subscriptions(const Subscriptions&) = delete;
    Subscriptions& operator=(const Subscriptions&) = delete;

    std::int64_t newId() { return ++lastId_; }
    /// Nothing is sent before this call: the client learns the id first.
    void add(std::int64_t id, std::unique_ptr<Subscription> subscription,
             const std::vector<fs::path>& folders);
    void remove(std::int64_t id);

private:
    void follow();

    ServeOutput& output_;
    FolderWatcher watcher_;
    std::atomic<std::int64_t> lastId_{0};
    std::mutex mutex_;
    std::map<std::int64_t, std::unique_ptr<Subscription>> all_;
    std::atomic<bool> ending_{false};
    std::thread thread_;
};

/// {"runs": [RunSummary]}, newest first.
Json runsJson(const fs::path& runs);

} // namespace anneal
