#pragma once
#include "core/base/json.h"
#include "core/protocol/state.h"
#include "core/schema/problem.h"

#include <string>
#include <vector>

namespace anneal::cli {

/// Says the error with its fix on standard error; returns its exit code.
int fail(const Error& error);

void printJson(const Json& json);
/// One problem a line: severity, where, what, and the fix.
void printProblems(const Problems& problems, std::FILE* stream);

/// Columns as wide as their widest cell; the first row is the heading. Numbers align to the right.
class TextTable {
public:
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

/// Width of `text` on a terminal, one column a code point.
std::size_t columnsOf(std::string_view text);

/// "1.234" or "-".
std::string lossText(const std::optional<double>& loss);
std::string moneyText(const std::optional<double>& amount, const std::string& currency);
/// "12 min 30 s", "8 to 12 min", "-"
std::string timeLeftText(const std::optional<TimeLeft>& left);

/// The closing table of `run`, `attach` and `show`.
std::string summaryText(const RunSummary& summary);

/// Exit code of a run that ended so: 0 finished, 3 failed, 4 stopped or interrupted, 0 while it is active.
int exitCodeOf(RunStatus status);

} // namespace anneal::cli
