#pragma once
#include "core/base/json.h"

#include <string>
#include <vector>

namespace anneal {

enum class Severity { Error, Warning, Note };

/// One finding of validation. `key` is the dotted path of a setting, `line` is 1-based, 0 when there is none.
struct Problem {
    std::string key;
    int line = 0;
    Severity severity = Severity::Error;
    std::string text;
    std::string fix;
    bool operator==(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

std::string_view severityName(Severity severity);
bool hasError(const Problems& problems);
/// {"key", "line", "severity", "text", "fix"}
Json toJson(const Problem& problem);
/// {"problems": [...]}
Json toJson(const Problems& problems);

} // namespace anneal
