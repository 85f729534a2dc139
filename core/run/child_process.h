#pragma once
#include "core/base/files.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace anneal {

/// How a process ended.
struct ProcessEnd {
    int exitCode = 0;
    int signal = 0; ///< 0: it ended by itself
    /// "exit code 3", "signal SIGKILL"
    std::string text() const;
};

/// What to start, without a shell: the program's path and its arguments.
struct ProcessSpec {
    std::vector<std::string> arguments;             ///< [0] is the program
    std::map<std::string, std::string> environment; ///< added to this process's own
    fs::path log;            ///< standard output and error are appended here; empty: inherited
    bool pipeOutput = false; ///< standard output is read by us; standard error goes to `log`
    bool pipeInput = true;   ///< else /dev/null
    bool ownGroup = false;   ///< a terminal's Ctrl-C does not reach it
};

/// A child with a pipe to its standard input, which closes when this process ends, however it ends.
/// Destruction kills a child that still runs and waits for it.
class ChildProcess {
public:
    static Result<ChildProcess> start(const ProcessSpec& spec);
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ~ChildProcess();

    int pid() const { return pid_; }
    bool running() { return !poll(); }
    /// How it ended, or nullopt while it runs.
    std::optional<ProcessEnd> poll();
    ProcessEnd wait();
    void signal(int number);
    void closeInput();
    /// Writes all of `text` to its standard input.
    Status writeInput(std::string_view text);
    int output() const { return output_; }

private:
    ChildProcess() = default;

    int pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    std::optional<ProcessEnd> end_;
};

/// Starts a process in a session of its own that outlives this one; its output is appended to `log`. Returns
/// its pid.
Result<int> startDetached(const std::vector<std::string>& arguments, const fs::path& log);

/// Splits a command line at blanks; quotes and backslashes keep blanks inside a word. Nothing is expanded.
Result<std::vector<std::string>> splitCommand(std::string_view command);

/// Path of the engine: beside this program, else $ANNEAL_ENGINE.
Result<fs::path> enginePath();

} // namespace anneal
