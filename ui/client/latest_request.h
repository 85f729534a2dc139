#pragma once
#include "ui/client/serve_client.h"

namespace anneal {

/// Asks the same question again and again while its subject changes, of which only the newest answer counts.
/// At most one request is under way; the newest waiting one follows it.
class LatestRequest : public QObject {
    Q_OBJECT

public:
    LatestRequest(ServeClient& client, std::string method, ServeClient::Reply reply,
                  QObject* parent = nullptr);

    /// `pauseMs`: wait this long for further changes first.
    void send(Json params, int pauseMs = 0);
    /// Forgets what was asked; no answer will come.
    void cancel();
    bool busy() const { return underWay_ || waiting_.has_value(); }

Q_SIGNALS:
    void busyChanged();

private:
    void sendNow();
    void onReply(std::int64_t serial, Result<Json> result);

    ServeClient& client_;
    std::string method_;
    ServeClient::Reply reply_;
    QTimer pause_;
    std::optional<Json> waiting_;
    bool underWay_ = false;
    std::int64_t serial_ = 0;
};

} // namespace anneal
