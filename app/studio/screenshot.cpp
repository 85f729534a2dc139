#include "app/studio/screenshot.h"

#include "ui/pages/live_page.h"
#include "ui/pages/playground_page.h"
#include "ui/shell/main_window.h"

#include <QCoreApplication>
#include <QPixmap>
#include <QTimer>

namespace anneal {

namespace {
/// Answers, debounced redraws and layouts have settled by then; runs on slow machines need the longer part.
constexpr int settleMs = 2500;
} // namespace

void takeScreenshot(MainWindow& window, const StudioOptions& options) {
    const auto page = pageFromName(options.screenshotPage);
    if (!page) {
        qCritical("There is no page \"%s\".", qPrintable(options.screenshotPage));
        return QTimer::singleShot(0, [] { QCoreApplication::exit(2); });
    }
    window.showPage(*page);
    if (!options.run.isEmpty() && *page == PageId::Live)
        window.livePage().showRun(options.run);
    if (!options.run.isEmpty() && *page == PageId::Playground)
        window.playgroundPage().choose(options.run, "best");
    const int wait = qEnvironmentVariableIntValue("ANNEAL_SCREENSHOT_MS");
    QTimer::singleShot(wait > 0 ? wait : settleMs, &window, [&window, file = options.screenshotFile] {
        QCoreApplication::exit(window.grab().save(file) ? 0 : 1);
    });
}

} // namespace anneal
