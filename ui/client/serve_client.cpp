#include "ui/client/serve_client.h"

#include "core/protocol/events.h"
#include "ui/client/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace anneal {

namespace {

constexpr int keptDiagnostics = 200;
constexpr std::array restartPauses{300, 1000, 3000, 10000, 30000}; // ms

std::optional<std::int64_t> integerAt(const Json& json, const char* key) {
    const auto found = json.find(key);
    std::int64_t value = 0;
    return found != json.end() && fromJson(*found, value) ? std::optional(value) : std::nullopt;
}

void answer(const QPointer<const QObject>& context, const ServeClient::Reply& reply, Result<Json> result) {
    if (context && reply)
        reply(std::move(result));
}

} // namespace

ServeClient::ServeClient(QObject* parent) : QObject(parent), link_(new ServeLink) {
    link_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, link_, &QObject::deleteLater);
    connect(link_, &ServeLink::received, this, &ServeClient::onReceived);
    connect(link_, &ServeLink::closed, this, &ServeClient::onClosed);
    connect(link_, &ServeLink::diagnosed, this, [this](const QString& line) {
        diagnostics_.append(line);
        while (diagnostics_.size() > keptDiagnostics)
            diagnostics_.removeFirst();
    });
    restart_.setSingleShot(true);
    connect(&restart_, &QTimer::timeout, this, &ServeClient::openLink);
}

ServeClient::~ServeClient() {
    if (thread_.isRunning()) {
        QMetaObject::invokeMethod(
            link_, [link = link_] { link->close(); }, Qt::BlockingQueuedConnection);
        thread_.quit();
        thread_.wait();
    } else {
        delete link_;
    }
}

void ServeClient::start(const ServeCommand& command) {
    command_ = command;
    failures_ = 0;
    if (!thread_.isRunning())
        thread_.start();
    openLink();
}

void ServeClient::refuse(const Error& error) { setState(State::Failed, toQt(error.text())); }

void ServeClient::retry() {
    if (!command_ || (state_ != State::Waiting && state_ != State::Failed))
        return;
    restart_.stop();
    openLink();
}

void ServeClient::openLink() {
    setState(State::Starting);
    QMetaObject::invokeMethod(
        link_, [link = link_, command = *command_] { link->open(command); }, Qt::QueuedConnection);
}

void ServeClient::setState(State state, const QString& problem) {
    if (state_ == state && problem_ == problem)
        return;
    state_ = state;
    problem_ = problem;
    Q_EMIT stateChanged();
}

bool ServeClient::can(const std::string& capability) const {
    const auto list = hello_.find("capabilities");
    if (list == hello_.end() || !list->is_array() || list->empty())
        return true;
    return std::find(list->begin(), list->end(), Json(capability)) != list->end();
}

std::int64_t ServeClient::request(const std::string& method, Json params, const QObject* context,
                                  Reply reply) {
    const auto id = nextId_++;
    Queued queued{id, method, std::move(params), {context, std::move(reply)}};
    if (state_ == State::Ready)
        send(std::move(queued));
    else if (state_ == State::Failed)
        // Later, as every other answer: the caller has not finished asking yet.
        QMetaObject::invokeMethod(
            this,
            [this, pending = std::move(queued.pending)] {
                answer(pending.context, pending.reply, failure(toStd(problem_)));
            },
            Qt::QueuedConnection);
    else
        queue_.push_back(std::move(queued));
    return id;
}

void ServeClient::send(Queued queued) {
    pending_.emplace(queued.id, std::move(queued.pending));
    const auto line = dumpJson(toJson(Request{queued.id, queued.method, std::move(queued.params)})) + "\n";
    QMetaObject::invokeMethod(
        link_, [link = link_, bytes = QByteArray::fromStdString(line)] { link->write(bytes); },
        Qt::QueuedConnection);
}

void ServeClient::onReceived(const QList<JsonMessage>& messages) {
    for (const auto& message : messages)
        handle(*message);
}

void ServeClient::handle(const Json& message) {
    if (const auto hello = message.find("hello"); hello != message.end())
        onHello(*hello);
    else if (message.contains("subscription") && message.contains("notice"))
        onNotice(message);
    else if (const auto id = integerAt(message, "id"))
        onAnswer(*id, message);
}

void ServeClient::onHello(const Json& hello) {
    hello_ = hello;
    const auto protocol = integerAt(hello, "protocol").value_or(protocolVersion);
    if (protocol > protocolVersion) {
        setState(State::Failed,
                 QString("anneal on %1 speaks version %2 of the protocol, this studio version %3. "
                         "Install the same version of both.")
                     .arg(host().isEmpty() ? "this machine" : host())
                     .arg(protocol)
                     .arg(protocolVersion));
        return failPending(problem_);
    }
    failures_ = 0;
    setState(State::Ready);
    for (auto& [key, listener] : listeners_)
        beginSubscription(key);
    for (auto& queued : std::exchange(queue_, {}))
        send(std::move(queued));
}

void ServeClient::onAnswer(std::int64_t id, const Json& message) {
    auto found = pending_.extract(id);
    if (!found)
        return;
    const auto& [context, reply] = found.mapped();
    if (const auto error = message.find("error"); error != message.end())
        answer(context, reply, errorFromJson(*error));
    else
        answer(context, reply, message.value("result", Json::object()));
}

void ServeClient::onNotice(const Json& message) {
    Notice notice;
    if (!fromJson(message, notice))
        return;
    if (notice.notice == "progress")
        return onProgress(notice.params);
    const auto found = std::find_if(listeners_.begin(), listeners_.end(), [&](const auto& item) {
        return item.second.remote == notice.subscription;
    });
    if (found == listeners_.end())
        return;
    // The handler may end its own subscription.
    const auto handler = found->second.handler.notice;
    if (handler)
        handler(notice.notice, notice.params);
}

void ServeClient::onProgress(const Json& params) {
    if (const auto request = integerAt(params, "request"))
        Q_EMIT progressed(*request, params);
}

Subscription ServeClient::subscribe(const std::string& method, Json params, SubscriptionHandler handler) {
    const auto key = nextKey_++;
    listeners_.emplace(key, Listener{method, std::move(params), std::move(handler)});
    if (state_ == State::Ready)
        beginSubscription(key);
    return {this, key};
}

void ServeClient::beginSubscription(std::int64_t key) {
    const auto& listener = listeners_.at(key);
    const auto onReply = [this, key](Result<Json> result) {
        const auto found = listeners_.find(key);
        const std::int64_t remote = result ? integerAt(*result, "subscription").value_or(0) : 0;
        if (found == listeners_.end()) { // ended meanwhile
            if (remote != 0)
                request("unfollow", {{"subscription", remote}}, this, {});
            return;
        }
        const auto handler = found->second.handler;
        found->second.remote = remote;
        if (remote != 0 && handler.opened)
            handler.opened();
        else if (!result && handler.failed)
            handler.failed(result.error());
    };
    send({nextId_++, listener.method, listener.params, {this, onReply}});
}

void ServeClient::endSubscription(std::int64_t key) {
    const auto found = listeners_.extract(key);
    if (found && found.mapped().remote != 0 && state_ == State::Ready)
        request("unfollow", {{"subscription", found.mapped().remote}}, this, {});
}

void ServeClient::onClosed(const QString& reason, bool missing) {
    for (auto& [key, listener] : listeners_)
        listener.remote = 0;
    if (state_ == State::Failed)
        return;
    const auto last = missing || diagnostics_.isEmpty() ? QString() : " It said: " + diagnostics_.last();
    if (missing) {
        setState(State::Failed, reason);
    } else {
        const auto pause = restartPauses[std::min<std::size_t>(failures_++, restartPauses.size() - 1)];
        setState(State::Waiting, reason + last);
        restart_.start(pause);
    }
    failPending(reason);
}

void ServeClient::failPending(const QString& reason) {
    for (auto& [id, pending] : std::exchange(pending_, {}))
        answer(pending.context, pending.reply, failure(toStd("The connection was lost: " + reason)));
    if (state_ != State::Failed)
        return;
    for (auto& queued : std::exchange(queue_, {}))
        answer(queued.pending.context, queued.pending.reply, failure(toStd(reason)));
}

} // namespace anneal
