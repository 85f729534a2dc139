#pragma once
#include "core/base/json.h"
#include "core/protocol/serve.h"
#include "ui/client/serve_link.h"
#include "ui/client/subscription.h"

#include <QPointer>
#include <QStringList>
#include <QThread>
#include <QTimer>

#include <functional>
#include <map>
#include <optional>

namespace anneal {

/// The studio's only way to files and runs: requests to `anneal serve`, answered later on the thread of the
/// window. When the process dies it is started again, with growing pauses, and subscriptions begin anew.
class ServeClient : public QObject {
    Q_OBJECT

public:
    enum class State {
        Idle,     ///< not started yet; requests wait
        Starting, ///< the process is starting; requests wait
        Ready,    ///< it greeted
        Waiting,  ///< it ended; a new one will be started soon
        Failed,   ///< it cannot be started
    };
    using Reply = std::function<void(Result<Json>)>;

    explicit ServeClient(QObject* parent = nullptr);
    ~ServeClient() override;

    void start(const ServeCommand& command);
    /// Says why there is no connection at all.
    void refuse(const Error& error);
    /// Starts the process now instead of after the pause.
    void retry();

    /// `reply` is called once unless `context` is destroyed before. A request that was under way when the
    /// connection was lost is answered with an error, since nobody knows whether it was carried out. Returns
    /// the request's number.
    std::int64_t request(const std::string& method, Json params, const QObject* context, Reply reply);
    [[nodiscard]] Subscription subscribe(const std::string& method, Json params, SubscriptionHandler handler);

    State state() const { return state_; }
    /// Why the state is Waiting or Failed: one sentence.
    QString problem() const { return problem_; }
    /// The latest lines of the process's standard error.
    QStringList diagnostics() const { return diagnostics_; }
    /// Empty: this machine.
    QString host() const { return command_ ? command_->host : QString(); }
    /// Whether the serving program says it can do `capability`; true while it says nothing.
    bool can(const std::string& capability) const;

Q_SIGNALS:
    void stateChanged();
    /// A long request says where it stands, with the fields of a PhaseEvent.
    void progressed(std::int64_t request, const anneal::Json& phase);

private:
    friend class Subscription;
    struct Pending {
        QPointer<const QObject> context;
        Reply reply;
    };
    struct Queued {
        std::int64_t id;
        std::string method;
        Json params;
        Pending pending;
    };
    struct Listener {
        std::string method;
        Json params;
        SubscriptionHandler handler;
        std::int64_t remote = 0; ///< the number serve gave it; 0: not confirmed
    };

    void setState(State state, const QString& problem = {});
    void openLink();
    void onReceived(const QList<JsonMessage>& messages);
    void onClosed(const QString& reason, bool missing);
    void handle(const Json& message);
    void onHello(const Json& hello);
    void onAnswer(std::int64_t id, const Json& message);
    void onNotice(const Json& message);
    void onProgress(const Json& params);
    void send(Queued queued);
    void beginSubscription(std::int64_t key);
    void endSubscription(std::int64_t key);
    void failPending(const QString& reason);

    QThread thread_;
    ServeLink* link_;
    QTimer restart_;
    std::optional<ServeCommand> command_;
    State state_ = State::Idle;
    QString problem_;
    QStringList diagnostics_;
    Json hello_ = Json::object();
    int failures_ = 0;
    std::int64_t nextId_ = 1, nextKey_ = 1;
    std::vector<Queued> queue_;
    std::map<std::int64_t, Pending> pending_;
    std::map<std::int64_t, Listener> listeners_;
};

} // namespace anneal
