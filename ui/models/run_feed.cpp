#include "ui/models/run_feed.h"

#include "core/base/system.h"
#include "ui/client/text.h"
#include "ui/models/number_text.h"

#include <QRegularExpression>

namespace anneal {

namespace {
constexpr std::size_t keptTelemetry = 600;
constexpr qsizetype keptLog = 5000;

/// Lines begin with unix seconds; people read the time of the day.
QString readableLine(QString line) {
    static const QRegularExpression stamp("^(\\d{9,11}(?:\\.\\d+)?) ");
    if (const auto match = stamp.match(line); match.hasMatch())
        line.replace(0, match.capturedLength(1), text::moment(match.captured(1).toDouble(), unixSeconds()));
    return line;
}

} // namespace

RunFeed::RunFeed(ServeClient& client, QObject* parent) : QObject(parent), client_(client) {
    connect(&history_, &RunHistory::changed, this, &RunFeed::historyChanged);
}

void RunFeed::follow(const QString& run) {
    if (run == run_)
        return;
    run_ = run;
    subscription_ = {};
    summary_.reset();
    telemetry_.clear();
    log_.clear();
    config_ = nullptr;
    problem_.clear();
    history_.clear();
    Q_EMIT runChanged();
    if (!run.isEmpty())
        subscribe();
}

void RunFeed::subscribe() {
    const SubscriptionHandler handler{
        [this] {
            log_.clear();
            Q_EMIT logCleared();
            setProblem({});
            askConfig();
        },
        [this](const std::string& notice, const Json& params) { onNotice(notice, params); },
        [this](const Error& error) { setProblem(toQt(error.text())); },
    };
    subscription_ = client_.subscribe("follow", {{"run", toStd(run_)}}, handler);
}

void RunFeed::setProblem(const QString& problem) {
    if (problem_ == problem)
        return;
    problem_ = problem;
    Q_EMIT problemChanged();
}

void RunFeed::askConfig() {
    client_.request("show", {{"run", toStd(run_)}}, this, [this, run = run_](Result<Json> result) {
        if (run != run_ || !result)
            return;
        config_ = result->value("config", Json());
        Q_EMIT configChanged();
        onSummary(*result);
    });
}

void RunFeed::onNotice(const std::string& notice, const Json& params) {
    if (notice == "events")
        onEvents(params);
    else if (notice == "telemetry")
        onTelemetry(params);
    else if (notice == "log")
        onLog(params);
    else if (notice == "summary")
        onSummary(params);
}

void RunFeed::onEvents(const Json& params) {
    const auto list = params.find("events");
    if (list == params.end() || !list->is_array())
        return;
    std::vector<EventRecord> records;
    records.reserve(list->size());
    for (const auto& item : *list)
        if (auto record = eventFromJson(item))
            records.push_back(*std::move(record));
    history_.add(std::move(records));
}

void RunFeed::onTelemetry(const Json& params) {
    std::vector<TelemetrySample> samples;
    const auto list = params.find("samples");
    if (list == params.end() || !fromJson(*list, samples))
        return;
    for (auto& sample : samples)
        if (telemetry_.empty() || sample.t > telemetry_.back().t || sample.host != telemetry_.back().host)
            telemetry_.push_back(std::move(sample));
    while (telemetry_.size() > keptTelemetry)
        telemetry_.pop_front();
    Q_EMIT telemetryChanged();
}

void RunFeed::onLog(const Json& params) {
    std::vector<std::string> lines;
    const auto list = params.find("lines");
    if (list == params.end() || !fromJson(*list, lines) || lines.empty())
        return;
    QStringList added;
    for (const auto& line : lines)
        added.append(readableLine(toQt(line)));
    log_.append(added);
    if (log_.size() > keptLog)
        log_.erase(log_.begin(), log_.begin() + (log_.size() - keptLog));
    Q_EMIT logAppended(added);
}

void RunFeed::onSummary(const Json& params) {
    RunSummary summary;
    if (!fromJson(params, summary))
        return;
    summary_ = std::move(summary);
    Q_EMIT summaryChanged();
}

} // namespace anneal
