#pragma once
#include "core/data/row_format.h"

#include <initializer_list>

namespace anneal {

// Fields of a row, read with an error that names what is missing or wrong.

/// The text under the first of `aliases` that is there; a row without any is refused with the names it has.
Result<std::string> requiredText(const Json& row, std::initializer_list<const char*> aliases);
/// Likewise, empty when none is there or it is null.
Result<std::string> optionalText(const Json& row, std::initializer_list<const char*> aliases);
/// A field that holds JSON: itself, or in files of texts (CSV) the JSON that its text is.
Result<Json> jsonField(const Json& row, const char* name);

/// Appends a list of turns in OpenAI's or ShareGPT's spelling; `field` names it in errors.
Status appendMessages(ParsedRow& parsed, const Json& turns, const std::string& field);
/// {"messages": [{role, content}]} or {"conversations": [{from, value}]}, with "system" and "tools".
Result<ParsedRow> parseMessages(const Json& row);
/// {"input_ids", "labels", "attention_mask"}; labels are the id itself or -100, masked ends are padding.
Result<ParsedRow> parseTokenIds(const Json& row);

} // namespace anneal
