#include "ui/client/latest_request.h"

#include <utility>

namespace anneal {

LatestRequest::LatestRequest(ServeClient& client, std::string method, ServeClient::Reply reply,
                             QObject* parent)
    : QObject(parent), client_(client), method_(std::move(method)), reply_(std::move(reply)) {
    pause_.setSingleShot(true);
    connect(&pause_, &QTimer::timeout, this, &LatestRequest::sendNow);
}

void LatestRequest::send(Json params, int pauseMs) {
    waiting_ = std::move(params);
    ++serial_;
    if (!underWay_)
        pause_.start(pauseMs);
    Q_EMIT busyChanged();
}

void LatestRequest::cancel() {
    waiting_.reset();
    pause_.stop();
    ++serial_;
    Q_EMIT busyChanged();
}

void LatestRequest::sendNow() {
    if (underWay_ || !waiting_)
        return;
    underWay_ = true;
    client_.request(method_, *std::exchange(waiting_, std::nullopt), this,
                    [this, serial = serial_](Result<Json> result) { onReply(serial, std::move(result)); });
}

void LatestRequest::onReply(std::int64_t serial, Result<Json> result) {
    underWay_ = false;
    if (waiting_)
        sendNow();
    else if (serial == serial_)
        reply_(std::move(result));
    Q_EMIT busyChanged();
}

} // namespace anneal
