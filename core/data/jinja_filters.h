#pragma once
#include "core/data/jinja_evaluator.h"

#include <map>
#include <string_view>

namespace anneal::jinja {

using Filter = Value (*)(const Value& input, const Arguments& arguments);
using FilterTable = std::map<std::string_view, Filter>;

// Filters by what they work on.
const FilterTable& textFilters();
const FilterTable& listFilters();
const FilterTable& valueFilters();

bool isFilter(std::string_view name);
/// Text of the input, "" for an undefined one; keeps the message.
Value textOf(std::string text, const Value& input);
/// Argument `index` or `name`, or `fallback`.
Value argumentOr(const Arguments& arguments, std::size_t index, std::string_view name, Value fallback);
/// "a.b.0" of an item.
Value attributePath(const Value& item, const Value& path);

} // namespace anneal::jinja
