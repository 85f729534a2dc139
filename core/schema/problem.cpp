#include "core/schema/problem.h"

#include <algorithm>

namespace anneal {

std::string_view severityName(Severity severity) {
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: break;
    }
    return "note";
}

bool hasError(const Problems& problems) {
    return std::any_of(problems.begin(), problems.end(),
                       [](const Problem& problem) { return problem.severity == Severity::Error; });
}

Json toJson(const Problem& problem) {
    return {{"key", problem.key},
            {"line", problem.line},
            {"severity", severityName(problem.severity)},
            {"text", problem.text},
            {"fix", problem.fix}};
}

Json toJson(const Problems& problems) {
    Json list = Json::array();
    for (const auto& problem : problems)
        list.push_back(toJson(problem));
    return {{"problems", std::move(list)}};
}

} // namespace anneal
