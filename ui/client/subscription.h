#pragma once
#include "core/base/json.h"

#include <QPointer>

#include <cstdint>
#include <functional>
#include <string>

namespace anneal {

class ServeClient;

/// What a subscriber is told. Everything arrives on the thread of the window.
struct SubscriptionHandler {
    /// The subscription begins, or begins again after the connection was lost: what follows is replayed.
    std::function<void()> opened;
    std::function<void(const std::string& notice, const Json& params)> notice;
    std::function<void(const Error&)> failed;
};

/// Keeps a subscription alive; destroying it ends it.
class Subscription {
public:
    Subscription() = default;
    Subscription(ServeClient* client, std::int64_t key);
    Subscription(Subscription&& other) noexcept;
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription();

    bool active() const { return client_ && key_ != 0; }

private:
    void end();

    QPointer<ServeClient> client_;
    std::int64_t key_ = 0;
};

} // namespace anneal
