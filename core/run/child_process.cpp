#include "core/run/child_process.h"

#include "core/base/system.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace anneal {

namespace {

struct Pipe {
    int read = -1, write = -1;

    static Result<Pipe> open() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return failure(std::string("Cannot make a pipe: ") + std::strerror(errno) + ".",
                           "Close other programs.");
        return Pipe{ends[0], ends[1]};
    }
};

void closeDescriptor(int& descriptor) {
    if (descriptor >= 0)
        ::close(std::exchange(descriptor, -1));
}

/// posix_spawn's actions and attributes, freed on every way out.
class SpawnPlan {
public:
    SpawnPlan() {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
    }
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    void open(int target, const char* path, int flags) {
        ::posix_spawn_file_actions_addopen(&actions, target, path, flags, 0600);
    }
    void duplicate(int source, int target) { ::posix_spawn_file_actions_adddup2(&actions, source, target); }

    /// Signals as a fresh program expects them, whatever this process blocks or ignores.
    void resetSignals(bool ownGroup) {
        sigset_t none, all;
        ::sigemptyset(&none);
        ::sigemptyset(&all);
        for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGQUIT})
            ::sigaddset(&all, number);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        ::posix_spawnattr_setsigdefault(&attributes, &all);
        short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        if (ownGroup)
            flags |= POSIX_SPAWN_SETPGROUP;
        ::posix_spawnattr_setflags(&attributes, flags);
    }

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

std::vector<std::string> environmentWith(const std::map<std::string, std::string>& added) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        if (!added.contains(std::string(text.substr(0, text.find('=')))))
            result.emplace_back(text);
    }
    for (const auto& [name, value] : added)
        result.push_back(name + "=" + value);
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

Error startError(const std::string& program, int error) {
    return failure("Cannot start " + program + ": " + std::strerror(error) + ".",
                   error == ENOENT ? "Install Anneal's programs side by side." : "");
}

void planOutput(SpawnPlan& plan, const ProcessSpec& spec, int outputPipe) {
    constexpr int append = O_WRONLY | O_CREAT | O_APPEND;
    if (!spec.log.empty())
        plan.open(STDERR_FILENO, spec.log.c_str(), append);
    if (spec.pipeOutput)
        plan.duplicate(outputPipe, STDOUT_FILENO);
    else if (!spec.log.empty())
        plan.duplicate(STDERR_FILENO, STDOUT_FILENO);
}

} // namespace

std::string ProcessEnd::text() const {
    if (signal == 0)
        return "exit code " + std::to_string(exitCode);
    const char* name = ::sigabbrev_np(signal);
    return "signal " + (name ? std::string("SIG") + name : std::to_string(signal));
}

Result<ChildProcess> ChildProcess::start(const ProcessSpec& spec) {
    Pipe input, output;
    if (spec.pipeInput) {
        ANNEAL_TRY(input, Pipe::open());
    }
    if (spec.pipeOutput) {
        ANNEAL_TRY(output, Pipe::open());
    }
    SpawnPlan plan;
    plan.resetSignals(spec.ownGroup);
    if (spec.pipeInput)
        plan.duplicate(input.read, STDIN_FILENO);
    else
        plan.open(STDIN_FILENO, "/dev/null", O_RDONLY);
    planOutput(plan, spec, output.write);
    auto arguments = spec.arguments;
    auto environment = environmentWith(spec.environment);
    ChildProcess child;
    const int error = ::posix_spawnp(&child.pid_, spec.arguments[0].c_str(), &plan.actions, &plan.attributes,
                                     pointers(arguments).data(), pointers(environment).data());
    closeDescriptor(input.read);
    closeDescriptor(output.write);
    child.input_ = input.write;
    child.output_ = output.read;
    if (error != 0) {
        child.pid_ = -1;
        return startError(spec.arguments[0], error);
    }
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)), end_(std::exchange(other.end_, std::nullopt)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(input_, other.input_);
    std::swap(output_, other.output_);
    std::swap(end_, other.end_);
    return *this;
}

ChildProcess::~ChildProcess() {
    if (pid_ > 0 && !poll()) {
        signal(SIGKILL);
        wait();
    }
    closeDescriptor(input_);
    closeDescriptor(output_);
}

namespace {
ProcessEnd endOf(int status) {
    return WIFSIGNALED(status) ? ProcessEnd{0, WTERMSIG(status)} : ProcessEnd{WEXITSTATUS(status), 0};
}
} // namespace

std::optional<ProcessEnd> ChildProcess::poll() {
    int status = 0;
    if (!end_ && pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_)
        end_ = endOf(status);
    return end_;
}

ProcessEnd ChildProcess::wait() {
    int status = 0;
    while (!end_) {
        if (::waitpid(pid_, &status, 0) == pid_)
            end_ = endOf(status);
        else if (errno != EINTR)
            end_ = ProcessEnd{1, 0};
    }
    return *end_;
}

void ChildProcess::signal(int number) {
    if (pid_ > 0 && !end_)
        ::kill(pid_, number);
}

void ChildProcess::closeInput() { closeDescriptor(input_); }

Status ChildProcess::writeInput(std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(input_, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return failure(std::string("The child process does not read: ") + std::strerror(errno) + ".");
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

namespace {

/// What the detached child tells its starter: its pid, or why it could not start.
struct StartReport {
    int pid = 0;
    int error = 0;
};

/// Runs in the second child: only async-signal-safe calls, for the starter may have threads.
[[noreturn]] void becomeDetached(char* const* arguments, const char* log, int report) {
    const auto give = [report](int error) {
        const StartReport message{static_cast<int>(::getpid()), error};
        (void)!::write(report, &message, sizeof message);
    };
    const int null = ::open("/dev/null", O_RDONLY);
    const int file = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (null < 0 || file < 0 || ::dup2(null, 0) < 0 || ::dup2(file, 1) < 0 || ::dup2(file, 2) < 0) {
        give(errno);
        ::_exit(127);
    }
    // Whoever waits for the end of a pipe of the starter must not wait for the run. The report closes on
    // exec.
    ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGQUIT})
        ::sigaction(number, &standard, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    give(0);
    ::execv(arguments[0], arguments);
    give(errno);
    ::_exit(127);
}

/// The last report counts: a failing exec sends a second one.
StartReport readReport(int descriptor) {
    StartReport report{0, EIO}, next;
    while (::read(descriptor, &next, sizeof next) == static_cast<ssize_t>(sizeof next))
        report = next;
    return report;
}

} // namespace

Result<int> startDetached(const std::vector<std::string>& arguments, const fs::path& log) {
    auto copies = arguments;
    const auto argv = pointers(copies);
    ANNEAL_TRY(auto pipe, Pipe::open());
    const pid_t first = ::fork();
    if (first == 0) {
        ::setsid();
        if (::fork() == 0)
            becomeDetached(argv.data(), log.c_str(), pipe.write);
        ::_exit(0);
    }
    closeDescriptor(pipe.write);
    if (first > 0)
        ::waitpid(first, nullptr, 0);
    const auto report = first < 0 ? StartReport{0, errno} : readReport(pipe.read);
    closeDescriptor(pipe.read);
    if (report.error != 0)
        return startError(arguments[0], report.error);
    return report.pid;
}

Result<std::vector<std::string>> splitCommand(std::string_view command) {
    std::vector<std::string> words;
    std::string word;
    bool inWord = false;
    char quote = 0;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
            word += command[++i];
            inWord = true;
        } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
            inWord = true;
        } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
            if (std::exchange(inWord, false))
                words.push_back(std::exchange(word, {}));
        } else {
            word += c;
            inWord = true;
        }
    }
    if (quote != 0)
        return invalidInput("The command '" + std::string(command) + "' has an open quote.", "Close it.");
    if (inWord)
        words.push_back(word);
    if (words.empty())
        return invalidInput("The command is empty.", "Name a program, or leave the setting out.");
    return words;
}

Result<fs::path> enginePath() {
    std::error_code ignored;
    const auto beside = programFolder() / "anneal-engine";
    if (fs::exists(beside, ignored))
        return beside;
    const char* named = std::getenv("ANNEAL_ENGINE");
    if (named && *named && fs::exists(named, ignored))
        return fs::absolute(named);
    return failure("There is no anneal-engine in " + programFolder().string() + ".",
                   "Install it there, or set ANNEAL_ENGINE to its path.");
}

} // namespace anneal
