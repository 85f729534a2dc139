#include "app/cli/report.h"

#include "core/base/text.h"
#include "core/run/exit_code.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace anneal::cli {

namespace {

std::string fixedText(double value, int decimals) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
    return buffer;
}

bool isNumber(std::string_view cell) {
    return cell == "-" || (!cell.empty() && cell.find_first_not_of("0123456789.,+-% ") == cell.npos);
}

std::string percentChange(double from, double to) {
    const double change = 100 * (to / from - 1);
    return (change > 0 ? "+" : "") + fixedText(change, 1) + " %";
}

std::string bestText(const RunSummary& summary) {
    if (!summary.best)
        return "-";
    auto text = lossText(summary.best->validation_loss) + " at step " + formatCount(summary.best->step);
    if (summary.base_validation_loss && *summary.base_validation_loss > 0)
        text += " (base " + lossText(summary.base_validation_loss) + ", " +
                percentChange(*summary.base_validation_loss, summary.best->validation_loss) + ")";
    return text;
}

std::string costText(const CostSoFar& cost) {
    auto text = moneyText(cost.spent, cost.currency);
    if (cost.projected && cost.spent && *cost.projected > *cost.spent)
        text += " of about " + moneyText(cost.projected, cost.currency);
    return text;
}

std::string stepText(const RunSummary& summary) {
    auto text = formatCount(summary.step);
    if (summary.max_steps)
        text += " of " + formatCount(*summary.max_steps);
    if (summary.epoch)
        text += ", epoch " + fixedText(*summary.epoch, 2);
    return text;
}

} // namespace

int fail(const Error& error) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    if (!error.fix.empty())
        std::fprintf(stderr, "%s\n", error.fix.c_str());
    return exitCode(error.kind);
}

void printJson(const Json& json) {
    std::fputs(dumpJsonPretty(json).c_str(), stdout);
    std::fflush(stdout);
}

void printProblems(const Problems& problems, std::FILE* stream) {
    for (const auto& problem : problems) {
        const auto place = problem.line > 0 ? "line " + std::to_string(problem.line) + ": " : std::string();
        std::fprintf(stream, "%s: %s%s%s%s\n", std::string(severityName(problem.severity)).c_str(),
                     place.c_str(), problem.text.c_str(), problem.fix.empty() ? "" : " ",
                     problem.fix.c_str());
    }
}

std::size_t columnsOf(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths;
    std::vector<bool> numeric;
    for (std::size_t r = 0; r < rows_.size(); ++r)
        for (std::size_t c = 0; c < rows_[r].size(); ++c) {
            widths.resize(std::max(widths.size(), c + 1));
            numeric.resize(widths.size(), true);
            widths[c] = std::max(widths[c], columnsOf(rows_[r][c]));
            numeric[c] = numeric[c] && (r == 0 || isNumber(rows_[r][c]));
        }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string padding(widths[c] - columnsOf(row[c]), ' ');
            line += (c ? "  " : "") + (numeric[c] ? padding + row[c] : row[c] + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string lossText(const std::optional<double>& loss) {
    if (!loss)
        return "-";
    return std::isfinite(*loss) ? fixedText(*loss, 4) : jsonNumber(*loss).get<std::string>();
}

std::string moneyText(const std::optional<double>& amount, const std::string& currency) {
    return amount ? fixedText(*amount, 2) + " " + currency : "-";
}

std::string timeLeftText(const std::optional<TimeLeft>& left) {
    if (!left)
        return "-";
    const auto low = formatDuration(left->low), high = formatDuration(left->high);
    return low == high ? low : low + " to " + high;
}

std::string summaryText(const RunSummary& summary) {
    TextTable table;
    table.add({"run", summary.id});
    table.add({"status", statusName(summary.status) + (summary.reason.empty() ? "" : ": " + summary.reason)});
    if (!summary.phase.empty())
        table.add({"phase", summary.phase});
    table.add({"step", stepText(summary)});
    table.add({"training loss", lossText(summary.train_loss)});
    table.add({"validation loss", lossText(summary.validation_loss)});
    table.add({"best", bestText(summary)});
    table.add({"tokens", formatCount(summary.tokens)});
    if (summary.tokens_per_second)
        table.add({"tokens/s", formatCount(std::llround(*summary.tokens_per_second))});
    table.add({"time", formatDuration(summary.seconds)});
    if (isActive(summary.status))
        table.add({"time left", timeLeftText(summary.seconds_left)});
    if (summary.cost.spent)
        table.add({"cost", costText(summary.cost)});
    table.add({"folder", summary.folder});
    return table.text();
}

int exitCodeOf(RunStatus status) {
    switch (status) {
    case RunStatus::Failed: return exitCode(ErrorKind::RunFailed);
    case RunStatus::Stopped:
    case RunStatus::Interrupted: return exitCode(ErrorKind::Stopped);
    default: return 0;
    }
}

} // namespace anneal::cli
