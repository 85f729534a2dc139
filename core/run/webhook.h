#pragma once
#include "core/base/json.h"

namespace anneal {

/// POSTs `body` as application/json and waits up to 20 s for an answer of the 200s. Only http and https
/// addresses.
Status postJson(const std::string& url, const Json& body);

} // namespace anneal
