#pragma once
#include "app/cli/options.h"

namespace anneal::cli {

// One function a command; each returns the exit code.

int runCommand(const RunOptions& options);

int validateCommand(const ConfigOptions& options);
int planCommand(const ConfigOptions& options);
int inspectCommand(const InspectOptions& options);
int prepareCommand(const ConfigOptions& options);
int dumpConfigCommand(bool markdown);

int listCommand(const TargetOptions& options);
int showCommand(const TargetOptions& options);
int attachCommand(const TargetOptions& options);
int logsCommand(const TargetOptions& options);
int stopCommand(const TargetOptions& options);
int pauseCommand(const TargetOptions& options);
int resumeCommand(const TargetOptions& options);
int deleteCommand(const TargetOptions& options);

int exportCommand(const JobOptions& options);
int evaluateCommand(const JobOptions& options);
int generateCommand(const JobOptions& options);
int chatCommand(const JobOptions& options);

int superviseCommand(const std::string& runFolder);
int serveCommand(const std::string& runsFolder);

} // namespace anneal::cli
