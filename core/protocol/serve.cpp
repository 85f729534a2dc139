#include "core/protocol/serve.h"

#include <array>

namespace anneal {

namespace {
/// In the order of ErrorKind.
constexpr std::array kindNames{"failure", "invalid_input", "run_failed", "stopped"};
static_assert(kindNames.size() == static_cast<std::size_t>(ErrorKind::Stopped) + 1);

ErrorKind kindFromName(std::string_view name) {
    for (std::size_t i = 0; i < kindNames.size(); ++i)
        if (name == kindNames[i])
            return static_cast<ErrorKind>(i);
    return ErrorKind::Failure;
}

std::string textAt(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}
} // namespace

Json answerJson(std::int64_t id, Result<Json> result) {
    Json answer{{"id", id}};
    if (result)
        answer["result"] = *std::move(result);
    else
        answer["error"] = toJson(result.error());
    return answer;
}

Json toJson(const Error& error) {
    return {{"message", error.message},
            {"fix", error.fix},
            {"kind", kindNames[static_cast<std::size_t>(error.kind)]}};
}

Error errorFromJson(const Json& json) {
    if (!json.is_object())
        return failure("An error without a message was received.");
    return {textAt(json, "message"), textAt(json, "fix"), kindFromName(textAt(json, "kind"))};
}

} // namespace anneal
