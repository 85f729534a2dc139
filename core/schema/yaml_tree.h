#pragma once
#include "core/schema/problem.h"

#include <map>
#include <string>
#include <string_view>

namespace anneal::schema {

/// YAML as JSON, with where each dotted key stands and how plain scalars were spelt ("007" is 7, but as a
/// name "007").
struct YamlTree {
    Json value;
    std::map<std::string, int> lines;
    std::map<std::string, std::string> spelling; ///< of scalars that were not read as text
    Problems problems;                           ///< syntax, doubled keys, keys that are no text
};

/// `file` is named in problems; empty: none.
YamlTree readYaml(std::string_view text, const std::string& file);

/// A plain YAML 1.2 scalar: null, true/false, number or text. "2e-4" is a number.
Json plainScalar(std::string_view text);

} // namespace anneal::schema
