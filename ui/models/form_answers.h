#pragma once
#include "core/schema/problem.h"

#include <QString>

namespace anneal {

// What the form of a new run reads from the answers of serve.

/// The list "problems" of validate, plan or load_config.
Problems problemsFrom(const Json& answer);
/// A model in one line: family, size, layers, whether it has a chat template.
QString modelFacts(const Json& model);
/// A data file in one line: format, rows, and how the format was found out.
QString dataFacts(const Json& data);

} // namespace anneal
