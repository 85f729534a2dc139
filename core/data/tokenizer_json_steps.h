#pragma once
#include "core/data/tokenizer_bpe.h"

#include <simdjson.h>

namespace anneal {

/// A value of tokenizer.json, or the reason why it is not there.
using JsonValue = simdjson::simdjson_result<simdjson::dom::element>;

std::string_view textOr(JsonValue value, std::string_view fallback);
bool flagOr(JsonValue value, bool fallback);
/// Missing or null.
bool isAbsent(JsonValue value);

// Each names the type of a step that is not supported.
Status readNormalizer(JsonValue value, std::vector<TextStep>& steps);
/// Fills wordSteps and splitters, and whether the model works on bytes.
Status readPreTokenizer(JsonValue value, BpePipeline& pipeline);
Status readDecoder(JsonValue value, std::vector<DecodeStep>& steps);

} // namespace anneal
