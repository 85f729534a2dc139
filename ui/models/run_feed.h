#pragma once
#include "core/protocol/state.h"
#include "ui/client/serve_client.h"
#include "ui/models/run_history.h"

#include <deque>

namespace anneal {

/// Follows one run: its events, telemetry, log and summary, from its beginning and then live.
class RunFeed : public QObject {
    Q_OBJECT

public:
    explicit RunFeed(ServeClient& client, QObject* parent = nullptr);

    /// Empty: nothing. The same run again changes nothing.
    void follow(const QString& run);
    QString run() const { return run_; }

    const RunHistory& history() const { return history_; }
    /// nullopt until the first summary arrived.
    const std::optional<RunSummary>& summary() const { return summary_; }
    /// The newest sample; the last minutes of them.
    const std::deque<TelemetrySample>& telemetry() const { return telemetry_; }
    const QStringList& log() const { return log_; }
    /// The run's own configuration as `show` gives it; null until it arrived.
    const Json& config() const { return config_; }
    /// Why there is nothing to show: one sentence.
    const QString& problem() const { return problem_; }

Q_SIGNALS:
    /// Another run: everything that was shown is void.
    void runChanged();
    void historyChanged();
    void summaryChanged();
    void telemetryChanged();
    void logAppended(const QStringList& lines);
    void logCleared();
    void configChanged();
    void problemChanged();

private:
    void subscribe();
    void onNotice(const std::string& notice, const Json& params);
    void onEvents(const Json& params);
    void onTelemetry(const Json& params);
    void onLog(const Json& params);
    void onSummary(const Json& params);
    void askConfig();
    void setProblem(const QString& problem);

    ServeClient& client_;
    QString run_;
    RunHistory history_;
    std::optional<RunSummary> summary_;
    std::deque<TelemetrySample> telemetry_;
    QStringList log_;
    Json config_;
    QString problem_;
    Subscription subscription_;
};

} // namespace anneal
