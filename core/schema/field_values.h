#pragma once
#include "core/schema/field_table.h"

namespace anneal::schema {

// How a value of each C++ type becomes JSON and is read back. readValue() stores a value, or returns what is
// wrong with its type as the end of a sentence that begins with the key: "must be a whole number, not \"x\"".
using TypeError = std::optional<std::string>;

/// What a text list does with one string: take it whole, or split it at commas.
enum class TextListStyle { Whole, Words };

TypeError readValue(const Json& json, bool& value);
TypeError readValue(const Json& json, std::int64_t& value);
TypeError readValue(const Json& json, double& value);
TypeError readValue(const Json& json, std::string& value);
TypeError readValue(const Json& json, std::vector<std::string>& value, TextListStyle style);
TypeError readValue(const Json& json, std::vector<DataSource>& value);

/// A list becomes text with commas ("0,2"); the rest as readValue.
TypeError readListAsText(const Json& json, std::string& value);

Json writeValue(const std::vector<DataSource>& value);

/// A value for a message: shortened JSON.
std::string quoted(const Json& json);

} // namespace anneal::schema
