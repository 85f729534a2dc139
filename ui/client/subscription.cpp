#include "ui/client/subscription.h"

#include "ui/client/serve_client.h"

#include <utility>

namespace anneal {

Subscription::Subscription(ServeClient* client, std::int64_t key) : client_(client), key_(key) {}

Subscription::Subscription(Subscription&& other) noexcept
    : client_(other.client_), key_(std::exchange(other.key_, 0)) {}

Subscription& Subscription::operator=(Subscription&& other) noexcept {
    if (this != &other) {
        end();
        client_ = other.client_;
        key_ = std::exchange(other.key_, 0);
    }
    return *this;
}

Subscription::~Subscription() { end(); }

void Subscription::end() {
    if (client_ && key_ != 0)
        client_->endSubscription(key_);
    key_ = 0;
}

} // namespace anneal
