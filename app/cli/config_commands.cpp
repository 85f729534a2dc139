#include "app/cli/commands.h"
#include "app/cli/plan_text.h"
#include "app/cli/report.h"
#include "core/base/text.h"
#include "core/run/config_service.h"
#include "core/run/exit_code.h"
#include "core/run/preparation.h"
#include "core/run/run_record.h"

#include <algorithm>

namespace anneal::cli {

namespace {

/// A configuration that plan, inspect and prepare can work with. Problems that do not concern them are not
/// theirs.
Result<RunConfig> soundConfig(const ConfigOptions& options) {
    ANNEAL_TRY(auto loaded, loadWithOverrides(options.config, options.overrides));
    if (auto error = firstError(loaded.problems))
        return *std::move(error);
    return std::move(loaded.config);
}

/// The text of the tokens that are trained; a gap between two stretches is marked.
std::string trainedText(const Json& row) {
    std::string text;
    bool gap = false;
    for (std::size_t i = 0; i < row["labels"].size(); ++i) {
        if (row["labels"][i] == -100) {
            gap = !text.empty();
            continue;
        }
        text += std::exchange(gap, false) ? " ... " : "";
        text += row["tokens"][i].get<std::string>();
    }
    return text;
}

void printRow(const Json& row) {
    const auto& labels = row["labels"];
    const auto trained = std::ranges::count_if(labels, [](const Json& label) { return label != -100; });
    std::printf("--- %s:%lld  %zu tokens, %td trained, %lld cut off\n%s\n",
                row["source"]["file"].get<std::string>().c_str(),
                static_cast<long long>(row["source"]["line"].get<std::int64_t>()), labels.size(), trained,
                static_cast<long long>(row["truncated_tokens"].get<std::int64_t>()),
                row["text"].get<std::string>().c_str());
    std::printf(">>> trained: %s\n\n", trainedText(row).c_str());
}

void printSummary(const Json& summary) {
    TextTable table;
    for (const char* key : {"rows", "tokens", "supervised_tokens", "truncated_rows", "rejected_rows"})
        table.add({key, formatCount(summary[key].get<std::int64_t>())});
    const auto& rejected = summary["rejected"];
    std::fputs(table.text().c_str(), stdout);
    for (const auto& row : rejected)
        std::printf("  %s:%lld: %s\n", row["file"].get<std::string>().c_str(),
                    static_cast<long long>(row["line"].get<std::int64_t>()),
                    row["reason"].get<std::string>().c_str());
}

} // namespace

int validateCommand(const ConfigOptions& options) {
    const auto loaded = loadWithOverrides(options.config, options.overrides);
    if (!loaded)
        return fail(loaded.error());
    const auto problems = validate(*loaded);
    if (options.json)
        printJson(toJson(problems));
    else if (problems.empty())
        std::printf("%s is valid.\n", options.config.c_str());
    else
        printProblems(problems, stdout);
    return hasError(problems) ? exitCode(ErrorKind::InvalidInput) : 0;
}

int planCommand(const ConfigOptions& options) {
    const auto config = soundConfig(options);
    if (!config)
        return fail(config.error());
    const auto planned = planWithData(*config);
    if (!planned)
        return fail(planned.error());
    if (options.json)
        printJson(toJson(*planned));
    else
        std::fputs(planText(*planned).c_str(), stdout);
    return 0;
}

int inspectCommand(const InspectOptions& options) {
    const auto config = soundConfig(options);
    if (!config)
        return fail(config.error());
    const CancelToken cancel;
    const auto inspection = inspectConfig(*config, options.first, options.rows, !options.json, cancel);
    if (!inspection)
        return fail(inspection.error());
    if (options.json) {
        printJson(*inspection);
        return 0;
    }
    for (const auto& row : (*inspection)["rows"])
        printRow(row);
    printSummary((*inspection)["summary"]);
    return 0;
}

int prepareCommand(const ConfigOptions& options) {
    const auto config = soundConfig(options);
    if (!config)
        return fail(config.error());
    const auto prepared = prepareWithProgress(*config);
    if (!prepared)
        return fail(prepared.error());
    if (options.json) {
        printJson(preparedJson(*prepared));
        return 0;
    }
    TextTable table;
    table.add({"", "rows", "tokens", "trained tokens"});
    for (const auto& [name, store] :
         {std::pair{"train", &prepared->train}, std::pair{"validation", &prepared->validation}})
        table.add({name, formatCount(static_cast<std::int64_t>(store->rows())),
                   formatCount(static_cast<std::int64_t>(store->tokens())),
                   formatCount(static_cast<std::int64_t>(store->supervisedTokens()))});
    std::printf("%sin %s\n", table.text().c_str(), prepared->folder.c_str());
    return 0;
}

int dumpConfigCommand(bool markdown) {
    std::fputs((markdown ? configMarkdown() : writeConfig(RunConfig{})).c_str(), stdout);
    return 0;
}

} // namespace anneal::cli
