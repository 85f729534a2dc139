#include "app/studio/options.h"

#include <QCommandLineParser>
#include <QFileInfo>

namespace anneal {

namespace {

QCommandLineOption hidden(const QString& name, const QString& value) {
    QCommandLineOption option(name, {}, value);
    option.setFlags(QCommandLineOption::HiddenFromHelp);
    return option;
}

Result<QSize> readSize(const QString& text) {
    const auto parts = text.split('x');
    const QSize size(parts.value(0).toInt(), parts.value(1).toInt());
    if (parts.size() != 2 || size.width() < 100 || size.height() < 100 || size.width() > 10'000 ||
        size.height() > 10'000)
        return invalidInput("--size must be WIDTHxHEIGHT, not \"" + text.toStdString() + "\".",
                            "For example 1440x900.");
    return size;
}

} // namespace

Result<StudioOptions> readOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription("Configures fine-tunes, watches them and exports what they learned.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("CONFIG.yaml", "Configuration to begin with.", "[CONFIG.yaml]");
    const QCommandLineOption runs("runs-dir", "Folder of the runs.", "DIR"),
        host("host", "Work on HOST through ssh.", "HOST"),
        time("time-startup", "Print the milliseconds to the first paint, and quit.");
    const auto screenshot = hidden("screenshot", "PAGE=FILE"), run = hidden("run", "RUN"),
               theme = hidden("theme", "THEME"), size = hidden("size", "WxH");
    parser.addOptions({runs, host, time, screenshot, run, theme, size});
    if (!parser.parse(arguments))
        return invalidInput(parser.errorText().toStdString() + ".", "See anneal-studio --help.");
    if (parser.isSet("help"))
        parser.showHelp();
    if (parser.isSet("version"))
        parser.showVersion();
    if (parser.positionalArguments().size() > 1)
        return invalidInput("Only one configuration can be opened.", "See anneal-studio --help.");
    StudioOptions options{parser.value(runs),
                          parser.value(host),
                          parser.positionalArguments().value(0),
                          parser.isSet(time),
                          {},
                          {},
                          parser.value(run),
                          parser.value(theme),
                          {}};
    if (!options.configuration.isEmpty() && options.host.isEmpty())
        options.configuration = QFileInfo(options.configuration).absoluteFilePath();
    options.screenshotPage = parser.value(screenshot).section('=', 0, 0);
    options.screenshotFile = parser.value(screenshot).section('=', 1);
    if (parser.isSet(size)) {
        ANNEAL_TRY(options.size, readSize(parser.value(size)));
    }
    return options;
}

} // namespace anneal
