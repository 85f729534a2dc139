#include "ui/pages/throttle.h"

namespace anneal {

Throttle::Throttle(std::function<void()> action, QObject* parent)
    : QObject(parent), action_(std::move(action)) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, [this] {
        if (waiting_)
            flush();
    });
}

void Throttle::request() {
    if (timer_.isActive())
        waiting_ = true;
    else
        flush();
}

void Throttle::flush() {
    waiting_ = false;
    timer_.start(interval_);
    action_();
}

} // namespace anneal
