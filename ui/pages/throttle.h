#pragma once
#include <QTimer>

#include <functional>

namespace anneal {

/// Does something at most once in an interval, the first time at once, and never forgets the last request.
class Throttle : public QObject {
    Q_OBJECT

public:
    Throttle(std::function<void()> action, QObject* parent);

    void setInterval(int milliseconds) { interval_ = milliseconds; }
    void request();
    /// Does it now.
    void flush();

private:
    std::function<void()> action_;
    QTimer timer_;
    int interval_ = 1000;
    bool waiting_ = false;
};

} // namespace anneal
