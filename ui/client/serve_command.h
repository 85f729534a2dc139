#pragma once
#include "core/base/result.h"

#include <QString>
#include <QStringList>

namespace anneal {

/// How the serving process is started: a program with arguments, never through a shell of this machine.
struct ServeCommand {
    QString program;
    QStringList arguments;
    QString runsFolder; ///< local only: exported as ANNEAL_RUNS_DIR; empty: the default
    QString host;       ///< empty: this machine
};

/// `anneal serve --stdio` beside this program, else the one named by ANNEAL_CLI. Fails when neither exists.
Result<ServeCommand> localServe(const QString& runsFolder);
/// The same behind `ssh HOST`. Fails when HOST is not a plain host name with an optional user.
Result<ServeCommand> remoteServe(const QString& host, const QString& runsFolder);

} // namespace anneal
