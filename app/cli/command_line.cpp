#include "app/cli/command_line.h"

#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "core/base/system.h"
#include "core/run/exit_code.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

namespace anneal::cli {

namespace {

/// The subcommands with their options; remembers what to run.
class CommandLine {
public:
    CommandLine() : app_("Fine-tunes language models with QLoRA, in the background.", "anneal") {
        app_.require_subcommand(1);
        app_.set_version_flag("--version", std::string("anneal " ANNEAL_VERSION));
        app_.get_formatter()->column_width(34);
        addRun();
        addConfigCommands();
        addRunsCommands();
        addJobCommands();
        addServiceCommands();
    }

    int run(int argc, char** argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::ParseError& error) {
            if (error.get_exit_code() == 0) // --help, --version
                return app_.exit(error);
            return fail(
                invalidInput(error.what() + std::string("."), "`anneal --help` lists commands and options."));
        }
        return command_();
    }

private:
    template <class Options>
    CLI::App* command(const char* name, const char* help, std::shared_ptr<Options> options,
                      int (*function)(const Options&)) {
        auto* sub = app_.add_subcommand(name, help);
        sub->callback(
            [this, options, function] { command_ = [options, function] { return function(*options); }; });
        return sub;
    }

    static void addSet(CLI::App* sub, std::vector<std::string>& overrides) {
        sub->add_option("--set", overrides, "Change a setting: key=value, the value in YAML")
            ->allow_extra_args(false)
            ->type_name("KEY=VALUE");
    }
    static void addJson(CLI::App* sub, bool& json) {
        sub->add_flag("--json", json, "Print JSON on standard output and nothing else there");
    }
    static void addConfig(CLI::App* sub, ConfigOptions& options) {
        sub->add_option("config", options.config, "Configuration file")->required()->type_name("CONFIG.yaml");
        addSet(sub, options.overrides);
        addJson(sub, options.json);
    }
    static void addRunsFolder(CLI::App* sub, std::string& folder) {
        sub->add_option("--runs-dir", folder, "Folder of runs instead of $ANNEAL_RUNS_DIR")->type_name("DIR");
    }
    static void addTarget(CLI::App* sub, TargetOptions& options, const char* what = "RUN") {
        sub->add_option("run", options.run, "Id of a run, a unique prefix of one, `last`, or a run folder")
            ->required()
            ->type_name(what);
        addRunsFolder(sub, options.runsFolder);
    }

    void addRun() {
        auto options = std::make_shared<RunOptions>();
        auto* sub =
            command("run", "Start a run and follow it; Ctrl-C saves and stops it", options, runCommand);
        addConfig(sub, *options);
        addRunsFolder(sub, options->runsFolder);
        sub->add_option("--name", options->name, "Exact id of the run")->type_name("ID");
        sub->add_flag("--detach", options->detach, "Print the id and return; the run goes on");
        sub->add_flag("--dry-run", options->dryRun, "Validate and plan only");
    }

    void addConfigCommands() {
        const auto add = [this](const char* name, const char* help, int (*function)(const ConfigOptions&)) {
            auto options = std::make_shared<ConfigOptions>();
            addConfig(command(name, help, options, function), *options);
        };
        add("validate", "Check a configuration", validateCommand);
        add("plan", "Estimate memory, time and cost", planCommand);
        add("prepare", "Clean, tokenize and store the data only", prepareCommand);
        auto options = std::make_shared<InspectOptions>();
        auto* inspect = command("inspect", "Show rows as they are trained", options, inspectCommand);
        addConfig(inspect, *options);
        inspect->add_option("--rows", options->rows, "Number of rows")->check(CLI::NonNegativeNumber);
        inspect->add_option("--first", options->first, "First row, counted from 0")
            ->check(CLI::NonNegativeNumber);
        addConfigDump();
    }

    void addConfigDump() {
        auto* sub = app_.add_subcommand("config", "Print all settings");
        auto markdown = std::make_shared<bool>(false), dump = std::make_shared<bool>(false);
        auto* group = sub->add_option_group("form")->require_option(1);
        group->add_flag("--dump", *dump, "As YAML with every default");
        group->add_flag("--markdown", *markdown, "As the table of the manual");
        sub->callback(
            [this, markdown, dump] { command_ = [markdown] { return dumpConfigCommand(*markdown); }; });
    }

    void addRunsCommands() {
        auto listOptions = std::make_shared<TargetOptions>();
        auto* list = command("list", "List the runs", listOptions, listCommand);
        addRunsFolder(list, listOptions->runsFolder);
        addJson(list, listOptions->json);
        addTargetCommand("show", "Show where a run stands", showCommand);
        addTargetCommand("attach", "Follow a run in the terminal; Ctrl-C only detaches", attachCommand);
        auto [logs, logsOptions] =
            addTargetCommand("logs", "Print what the programs of a run wrote", logsCommand);
        logs->add_flag("-f,--follow", logsOptions->follow, "Go on as the logs grow");
        addTargetCommand("stop", "Save and stop a run", stopCommand);
        addTargetCommand("pause", "Save a run and let it wait", pauseCommand);
        auto [resume, resumeOptions] = addTargetCommand(
            "resume", "Continue a paused, stopped, interrupted or failed run", resumeCommand);
        addSet(resume, resumeOptions->overrides);
        resume->add_flag("--attach", resumeOptions->attach, "Follow it, as `anneal run` does");
        auto [remove, removeOptions] =
            addTargetCommand("delete", "Delete the folder of a run", deleteCommand);
        remove->add_flag("--yes", removeOptions->yes, "Do not ask");
    }

    std::pair<CLI::App*, std::shared_ptr<TargetOptions>>
    addTargetCommand(const char* name, const char* help, int (*function)(const TargetOptions&)) {
        auto options = std::make_shared<TargetOptions>();
        auto* sub = command(name, help, options, function);
        addTarget(sub, *options);
        addJson(sub, options->json);
        return {sub, options};
    }

    std::pair<CLI::App*, std::shared_ptr<JobOptions>>
    addJob(const char* name, const char* help, const char* what, int (*function)(const JobOptions&)) {
        auto options = std::make_shared<JobOptions>();
        auto* sub = command(name, help, options, function);
        addTarget(sub, *options, what);
        addJson(sub, options->json);
        sub->add_option("--checkpoint", options->checkpoint, "A step, best, last, or none for the base model")
            ->capture_default_str();
        return {sub, options};
    }

    static void addGeneration(CLI::App* sub, JobOptions& options) {
        sub->add_option("--max-new-tokens", options.maxNewTokens, "Length of an answer at most")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        sub->add_option("--temperature", options.temperature, "0 takes the likeliest token each time")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
        sub->add_option("--top-p", options.topP, "Sample from the likeliest tokens of this total probability")
            ->check(CLI::Range(0.0, 1.0))
            ->capture_default_str();
        sub->add_option("--seed", options.seed, "Of sampling")->capture_default_str();
    }

    void addJobCommands() {
        auto [exporter, exportOptions] =
            addJob("export", "Export the adapter or model of a run", "RUN", exportCommand);
        exporter->add_option("--format", exportOptions->format, "peft, merged, gguf-lora or gguf")
            ->capture_default_str();
        exporter->add_option("--output", exportOptions->output, "Folder to write")
            ->required()
            ->type_name("DIR");
        auto [evaluate, evaluateOptions] =
            addJob("evaluate", "Measure a run or a model on a data file", "RUN|MODEL", evaluateCommand);
        evaluate->add_option("--data", evaluateOptions->data, "Data file")->required()->type_name("FILE");
        addSet(evaluate, evaluateOptions->overrides);
        auto [generate, generateOptions] =
            addJob("generate", "Answer a prompt", "RUN|MODEL", generateCommand);
        generate->add_option("--prompt", generateOptions->prompts, "The prompt")
            ->required()
            ->allow_extra_args(false)
            ->type_name("TEXT");
        addGeneration(generate, *generateOptions);
        addSet(generate, generateOptions->overrides);
        auto [chat, chatOptions] = addJob("chat", "Talk to a run or a model", "RUN|MODEL", chatCommand);
        addGeneration(chat, *chatOptions);
        addSet(chat, chatOptions->overrides);
    }

    void addServiceCommands() {
        auto folder = std::make_shared<std::string>();
        auto* supervise =
            app_.add_subcommand("supervise", "Carry out the run of a folder (started by `anneal run`)");
        supervise->add_option("folder", *folder, "Run folder")->required()->type_name("RUN_DIR");
        supervise->callback([this, folder] { command_ = [folder] { return superviseCommand(*folder); }; });
        auto runs = std::make_shared<std::string>();
        auto stdio = std::make_shared<bool>(false);
        auto* serve = app_.add_subcommand("serve", "Serve the studio on standard input and output");
        serve->add_flag("--stdio", *stdio, "Talk on the pipes of this process")->required();
        addRunsFolder(serve, *runs);
        serve->callback([this, runs, stdio] { command_ = [runs] { return serveCommand(*runs); }; });
    }

    CLI::App app_;
    std::function<int()> command_;
};

} // namespace

fs::path chosenRunsFolder(const std::string& option) {
    return option.empty() ? runsFolder() : fs::absolute(option).lexically_normal();
}

int runCommandLine(int argc, char** argv) { return CommandLine().run(argc, argv); }

} // namespace anneal::cli
