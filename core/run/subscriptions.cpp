#include "core/run/subscriptions.h"

#include "core/base/system.h"
#include "core/runfolder/registry.h"

#include <chrono>

namespace anneal {

namespace {

constexpr auto coalesce = std::chrono::milliseconds(100);
constexpr auto idlePoll = std::chrono::milliseconds(1000);
constexpr std::uint64_t telemetryTailBytes = 1u << 20; ///< about the last half hour
constexpr std::uint64_t logTailBytes = 64u << 10;
constexpr std::size_t eventsPerNotice = 50'000; ///< keeps a line below what a client accepts
constexpr double runsInterval = 0.9;            ///< seconds between two looks at a whole folder

template <class Follower>
auto readAll(Follower& follower) {
    auto all = follower.poll();
    for (auto more = follower.poll(); !more.empty(); more = follower.poll())
        all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return all;
}

} // namespace

RunSubscription::RunSubscription(const RunFolder& folder)
    : run_(folder), telemetry_(LineFollower::fromTail(folder.telemetry(), telemetryTailBytes)),
      supervisorLog_(LineFollower::fromTail(folder.logs() / "supervisor.log", logTailBytes)),
      engineLog_(LineFollower::fromTail(folder.logs() / "rank-0.log", logTailBytes)) {}

void RunSubscription::send(std::int64_t id, ServeOutput& output) {
    sendEvents(id, output);
    if (auto samples = readAll(telemetry_); !samples.empty())
        output.notify(id, "telemetry", {{"samples", std::move(samples)}});
    sendLog(id, output);
    Json summary = toJson(run_.summary());
    if (summary != lastSummary_)
        output.notify(id, "summary", lastSummary_ = std::move(summary));
}

void RunSubscription::sendEvents(std::int64_t id, ServeOutput& output) {
    auto update = run_.poll();
    for (std::size_t first = 0; first < update.events.size() || update.replay; first += eventsPerNotice) {
        Json events = Json::array();
        for (auto i = first; i < std::min(update.events.size(), first + eventsPerNotice); ++i)
            events.push_back(toJson(update.events[i]));
        output.notify(id, "events",
                      {{"events", std::move(events)}, {"replay", std::exchange(update.replay, false)}});
    }
}

void RunSubscription::sendLog(std::int64_t id, ServeOutput& output) {
    auto lines = readAll(supervisorLog_);
    for (auto& line : readAll(engineLog_))
        lines.push_back(std::move(line));
    if (!lines.empty())
        output.notify(id, "log", {{"lines", std::move(lines)}});
}

void RunsSubscription::send(std::int64_t id, ServeOutput& output) {
    if (monotonicSeconds() - lookedAt_ < runsInterval)
        return;
    lookedAt_ = monotonicSeconds();
    Json runs = Json::array();
    std::map<std::string, RunFollower> kept;
    for (const auto& folder : listRuns(runs_)) {
        auto node = followers_.extract(folder.id());
        auto& follower = node ? kept.insert(std::move(node)).position->second
                              : kept.emplace(folder.id(), RunFollower(folder)).first->second;
        follower.poll();
        runs.push_back(toJson(follower.summary()));
    }
    followers_ = std::move(kept);
    if (runs != last_)
        output.notify(id, "runs", {{"runs", last_ = std::move(runs)}});
}

Subscriptions::Subscriptions(ServeOutput& output) : output_(output), thread_([this] { follow(); }) {}

Subscriptions::~Subscriptions() {
    ending_ = true;
    watcher_.wake();
    thread_.join();
}

void Subscriptions::add(std::int64_t id, std::unique_ptr<Subscription> subscription,
                        const std::vector<fs::path>& folders) {
    for (const auto& folder : folders)
        watcher_.add(folder);
    {
        const std::lock_guard lock(mutex_);
        all_[id] = std::move(subscription);
    }
    watcher_.wake();
}

void Subscriptions::remove(std::int64_t id) {
    const std::lock_guard lock(mutex_);
    all_.erase(id);
}

void Subscriptions::follow() {
    while (!ending_) {
        {
            const std::lock_guard lock(mutex_);
            for (const auto& [id, subscription] : all_)
                subscription->send(id, output_);
        }
        std::this_thread::sleep_for(coalesce);
        watcher_.wait(idlePoll);
    }
}

Json runsJson(const fs::path& runs) {
    Json list = Json::array();
    for (const auto& folder : listRuns(runs))
        if (const auto summary = summarizeRun(folder))
            list.push_back(toJson(*summary));
    return {{"runs", list}};
}

} // namespace anneal
