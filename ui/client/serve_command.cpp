#include "ui/client/serve_command.h"

#include "core/base/system.h"
#include "ui/client/text.h"

#include <QFileInfo>
#include <QRegularExpression>

namespace anneal {

namespace {

bool isProgram(const QString& path) {
    const QFileInfo info(path);
    return info.isFile() && info.isExecutable();
}

/// For the shell at the other end of ssh, which sees one line of text.
QString quotedForShell(QString text) { return "'" + text.replace('\'', "'\\''") + "'"; }

} // namespace

Result<ServeCommand> localServe(const QString& runsFolder) {
    const QStringList arguments{"serve", "--stdio"};
    const auto beside = toQt(programFolder().string()) + "/anneal";
    if (isProgram(beside))
        return ServeCommand{beside, arguments, runsFolder, {}};
    const auto named = qEnvironmentVariable("ANNEAL_CLI");
    if (isProgram(named))
        return ServeCommand{named, arguments, runsFolder, {}};
    return failure("The program anneal is not beside the studio (" + toStd(beside) + ").",
                   "Install it there, or name it in the environment variable ANNEAL_CLI.");
}

Result<ServeCommand> remoteServe(const QString& host, const QString& runsFolder) {
    static const QRegularExpression plain("^([A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9_][A-Za-z0-9._:-]*$");
    if (!plain.match(host).hasMatch())
        return invalidInput("\"" + toStd(host) + "\" is not a host name.",
                            "Give it as ssh takes it, for example user@gpu-box.");
    QStringList arguments{"-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "--", host};
    if (!runsFolder.isEmpty())
        arguments << "env" << quotedForShell("ANNEAL_RUNS_DIR=" + runsFolder);
    arguments << "anneal"
              << "serve"
              << "--stdio";
    return ServeCommand{"ssh", arguments, {}, host};
}

} // namespace anneal
