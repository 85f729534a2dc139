// An engine without a model: plays a run by the rules of the run folder, as FAKE_ENGINE tells it, so that
// tests of the supervisor and the command line need no LibTorch. Settings are words with commas between them:
//   steps=N        optimizer steps (5)          step_ms=N   duration of one (20)
//   kill_at=N      dies of SIGKILL before step N, once; kill_always=1: at every start
//   exit=N         ends at once with this code and without a word in events or state
//   fail=1         fails as an engine does that says why
#include "core/base/system.h"
#include "core/base/text.h"
#include "core/protocol/serve.h"
#include "core/run/termination.h"
#include "core/runfolder/run_folder.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <poll.h>
#include <thread>
#include <unistd.h>

using namespace anneal;

namespace {

std::map<std::string, std::int64_t> readSettings() {
    std::map<std::string, std::int64_t> settings{{"steps", 5}, {"step_ms", 20}};
    const char* text = std::getenv("FAKE_ENGINE");
    for (const auto word : split(text ? text : "", ','))
        if (const auto equals = word.find('='); equals != word.npos)
            settings[std::string(word.substr(0, equals))] = parseInteger(word.substr(equals + 1)).value_or(0);
    return settings;
}

bool supervisorGone() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char byte;
    return ::poll(&input, 1, 0) > 0 &&
           ((input.revents & (POLLHUP | POLLERR)) || ::read(STDIN_FILENO, &byte, 1) == 0);
}

class FakeRun {
public:
    explicit FakeRun(const fs::path& path) : folder_(path), settings_(readSettings()) {}

    int run() {
        std::fprintf(stderr, "fake engine, rank %s of %s\n", std::getenv("RANK"), std::getenv("WORLD_SIZE"));
        if (settings_.contains("exit"))
            return static_cast<int>(settings_["exit"]);
        auto writer = EventWriter::open(folder_);
        if (!writer)
            return 3;
        writer_ = *std::move(writer);
        takeOver();
        if (settings_.contains("fail"))
            return endWith(RunStatus::Failed, "The fake engine was told to fail.", 3);
        return train();
    }

private:
    void takeOver() {
        if (const auto old = readState(folder_))
            state_ = *old;
        state_.host = hostName();
        state_.boot_id = bootId();
        state_.pid = ::getpid();
        state_.pid_start_time = processStartTime(::getpid());
        setStatus(RunStatus::Running, "");
        StartedEvent started;
        started.max_steps = state_.max_steps = settings_["steps"];
        started.device = "fake";
        (void)writer_.write(started);
        const auto checkpoints = listCheckpoints(folder_);
        if (state_.step > 0)
            (void)writer_.write(ResumedEvent{checkpoints.empty() ? 0 : checkpoints.back().step, "fake"});
        state_.step = checkpoints.empty() ? 0 : checkpoints.back().step;
        if (state_.step == 0)
            evaluate(0);
    }

    int train() {
        (void)writer_.write(PhaseEvent{"training", state_.step, settings_["steps"], "steps"});
        while (state_.step < settings_["steps"]) {
            if (const auto end = obey())
                return *end;
            dieIfTold(state_.step + 1);
            step(state_.step + 1);
        }
        evaluate(state_.step);
        save();
        return endWith(RunStatus::Finished, "", 0);
    }

    void dieIfTold(std::int64_t step) {
        const auto marker = folder_.path() / "died";
        if (settings_.contains("kill_always") || (settings_["kill_at"] == step && !fs::exists(marker))) {
            (void)writeFileAtomic(marker, "");
            ::kill(::getpid(), SIGKILL);
        }
    }

    std::optional<int> obey() {
        if (TerminationSignals::gentle() + TerminationSignals::interrupts() > 0)
            return stop(RunStatus::Stopped, "a signal");
        if (supervisorGone())
            return stop(RunStatus::Interrupted, "the supervisor ended");
        const auto command = takeCommand(folder_);
        if (!command)
            return std::nullopt;
        (void)writer_.write(CommandEvent{state_.step, command->command, "accepted"});
        if (command->command == "stop")
            return stop(RunStatus::Stopped, "stopped on request");
        if (command->command == "pause")
            return waitForResume();
        save();
        return std::nullopt;
    }

    std::optional<int> waitForResume() {
        save();
        setStatus(RunStatus::Paused, "");
        for (;;) {
            if (const auto command = takeCommand(folder_)) {
                (void)writer_.write(CommandEvent{state_.step, command->command, "accepted"});
                if (command->command == "stop")
                    return stop(RunStatus::Stopped, "stopped on request");
                setStatus(RunStatus::Running, "");
                return std::nullopt;
            }
            if (supervisorGone())
                return stop(RunStatus::Interrupted, "the supervisor ended");
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }

    void step(std::int64_t number) {
        std::this_thread::sleep_for(std::chrono::milliseconds(settings_["step_ms"]));
        StepEvent event;
        event.step = state_.step = number;
        event.loss = 3.0 / static_cast<double>(number);
        event.tokens = 100;
        event.total_tokens = 100 * number;
        event.seconds = 1e-3 * static_cast<double>(settings_["step_ms"]);
        (void)writer_.write(event);
        state_.heartbeat = unixSeconds();
        (void)writeState(folder_, state_);
    }

    void evaluate(std::int64_t step) {
        EvaluationEvent event;
        event.step = step;
        event.loss = step == 0 ? 4 : 1.5;
        event.best = step != 0;
        (void)writer_.write(event);
    }

    void save() {
        const auto checkpoint = folder_.checkpoint(state_.step);
        (void)makePrivateFolder(checkpoint);
        (void)writeFileAtomic(checkpoint / "adapter_config.json", "{}");
        (void)writeManifest(checkpoint);
        (void)writer_.write(
            CheckpointEvent{state_.step, "checkpoints/" + checkpoint.filename().string(), 2, 0});
    }

    int stop(RunStatus status, const std::string& reason) {
        save();
        return endWith(status, reason, 4);
    }

    int endWith(RunStatus status, const std::string& reason, int code) {
        if (status == RunStatus::Failed)
            (void)writer_.write(ErrorEvent{state_.step, reason, "Do not tell it to."});
        (void)writer_.write(FinishedEvent{state_.step, statusName(status), reason, 1});
        setStatus(status, reason);
        return code;
    }

    void setStatus(RunStatus status, const std::string& reason) {
        state_.status = status;
        state_.reason = reason;
        state_.heartbeat = unixSeconds();
        (void)writeState(folder_, state_);
    }

    RunFolder folder_;
    std::map<std::string, std::int64_t> settings_;
    EventWriter writer_;
    RunState state_;
};

void say(const Json& json) { std::cout << dumpJson(json) << std::endl; }

int playJob(const fs::path& path) {
    const auto job = readJsonFile(path);
    if (!job)
        return 2;
    const auto kind = job->value("job", std::string());
    say({{"type", "phase"}, {"name", "loading model"}, {"done", 1}, {"total", 2}, {"unit", "tensors"}});
    std::cout << "a library talks" << std::endl;
    if (kind == "export" && job->value("format", std::string()) != "peft") {
        Json error{{"type", "error"}};
        error.update(
            toJson(invalidInput("This version exports the format peft only.", "Use --format peft.")));
        say(error);
        return 2;
    }
    if (kind == "chat") {
        for (std::string line; std::getline(std::cin, line);) {
            say({{"type", "token"}, {"text", "he"}});
            say({{"type", "token"}, {"text", "llo"}});
            say({{"type", "result"}, {"result", {{"text", "hello"}, {"tokens", 2}}}});
        }
        return 0;
    }
    const auto settings = readSettings();
    if (const auto code = settings.find("exit"); code != settings.end()) {
        std::fprintf(stderr, "told to end\n");
        return static_cast<int>(code->second);
    }
    say({{"type", "result"},
         {"result", {{"job", *job}, {"text", "an answer"}, {"loss", 1.5}, {"tokens", 3}}}});
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    TerminationSignals::install();
    if (argc != 3)
        return 2;
    return std::string_view(argv[1]) == "--job" ? playJob(argv[2]) : FakeRun(argv[2]).run();
}
