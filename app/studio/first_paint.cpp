#include "app/studio/first_paint.h"

#include "core/base/system.h"

#include <QEvent>
#include <QTimer>
#include <QWidget>

#include <ctime>
#include <unistd.h>

namespace anneal {

namespace {

class PaintWatcher final : public QObject {
public:
    PaintWatcher(QWidget& window, std::function<void()> done) : QObject(&window), done_(std::move(done)) {
        window.installEventFilter(this);
    }

    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Paint) {
            parent()->removeEventFilter(this);
            // The event loop comes back when the picture is on its way to the screen.
            QTimer::singleShot(0, this, [this] {
                done_();
                deleteLater();
            });
        }
        return false;
    }

private:
    std::function<void()> done_;
};

} // namespace

void afterFirstPaint(QWidget& window, std::function<void()> done) {
    new PaintWatcher(window, std::move(done));
}

double millisecondsSinceStart() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    const double ticks = static_cast<double>(processStartTime(getpid()));
    const double started = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - started) * 1000;
}

} // namespace anneal
