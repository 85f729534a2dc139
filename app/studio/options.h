#pragma once
#include "core/base/result.h"

#include <QSize>
#include <QString>
#include <QStringList>

namespace anneal {

/// What the command line of the studio asks for.
struct StudioOptions {
    QString runsFolder;                     ///< --runs-dir; empty: the preference, else the default
    QString host;                           ///< --host
    QString configuration;                  ///< CONFIG.yaml
    bool timeStartup = false;               ///< print milliseconds to the first paint and quit
    QString screenshotPage, screenshotFile; ///< --screenshot PAGE=FILE: for the manual and tests
    QString run;                            ///< --run: shown by the live page of a screenshot
    QString theme;                          ///< --theme light|dark, for this start only
    QSize size;                             ///< --size 1440x900
};

/// `arguments` begin with the program. Handles --help and --version itself, by ending the process.
Result<StudioOptions> readOptions(const QStringList& arguments);

} // namespace anneal
