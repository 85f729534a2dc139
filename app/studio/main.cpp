#include "app/studio/first_paint.h"
#include "app/studio/options.h"
#include "app/studio/screenshot.h"
#include "ui/client/serve_client.h"
#include "ui/shell/icons.h"
#include "ui/shell/main_window.h"
#include "ui/shell/theme.h"

#include <QApplication>

#include <cstdio>

using namespace anneal;

/// Begins to talk to serve; what cannot be started is said by the window's banner.
static void startServing(ServeClient& client, const StudioOptions& options, const Preferences& preferences) {
    // The preference names a folder of this machine.
    const auto local = options.runsFolder.isEmpty() ? preferences.runsFolder() : options.runsFolder;
    const auto command =
        options.host.isEmpty() ? localServe(local) : remoteServe(options.host, options.runsFolder);
    if (command)
        client.start(*command);
    else
        client.refuse(command.error());
}

static ThemeChoice themeOf(const StudioOptions& options, const Preferences& preferences) {
    return options.theme == "dark"    ? ThemeChoice::Dark
           : options.theme == "light" ? ThemeChoice::Light
                                      : preferences.theme();
}

/// What can wait until the window has been seen.
static void afterShown(MainWindow& window, const StudioOptions& options) {
    if (options.timeStartup) {
        std::printf("%.0f\n", millisecondsSinceStart());
        return QApplication::exit(0);
    }
    QApplication::setWindowIcon(programIcon());
    startServing(window.studio().client, options, window.studio().preferences);
    if (!options.configuration.isEmpty())
        window.openFile(options.configuration);
    if (!options.screenshotFile.isEmpty())
        takeScreenshot(window, options);
}

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setOrganizationName("anneal");
    QApplication::setApplicationName("studio");
    QApplication::setApplicationDisplayName("Anneal");
    QApplication::setApplicationVersion(ANNEAL_VERSION);
    const auto options = readOptions(QApplication::arguments());
    if (!options) {
        std::fprintf(stderr, "%s\n", options.error().text().c_str());
        return 2;
    }
    Preferences preferences;
    applyTheme(application, themeOf(*options, preferences));
    QObject::connect(&preferences, &Preferences::themeChanged, &application,
                     [&] { applyTheme(application, preferences.theme()); });
    ServeClient client;
    MainWindow window(client, preferences);
    if (!options->size.isEmpty())
        window.resize(options->size);
    afterFirstPaint(window, [&] { afterShown(window, *options); });
    window.show();
    return QApplication::exec();
}
