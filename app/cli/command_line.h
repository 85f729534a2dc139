#pragma once

namespace anneal::cli {

/// Parses the arguments, runs the command they name and returns the exit code.
int runCommandLine(int argc, char** argv);

} // namespace anneal::cli
