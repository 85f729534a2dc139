#include "core/base/json.h"

#include <cmath>
#include <limits>

namespace anneal {

namespace {
/// Deeper nesting than any file of ours or a model's has; keeps hostile input from exhausting the stack.
constexpr int maxDepth = 200;
} // namespace

Result<Json> parseJson(std::string_view text, std::string_view source) {
    bool tooDeep = false;
    const auto guard = [&](int depth, Json::parse_event_t, Json&) {
        tooDeep = tooDeep || depth > maxDepth;
        if (tooDeep)
            throw std::length_error("nested too deeply");
        return true;
    };
    try {
        return Json::parse(text.begin(), text.end(), guard);
    } catch (const nlohmann::json::parse_error& error) {
        return invalidInput("Not valid JSON in " + std::string(source) + " at byte " +
                                std::to_string(error.byte) + ".",
                            "Correct the syntax there.");
    } catch (const std::exception& error) {
        return invalidInput("Cannot read the JSON in " + std::string(source) + ": " + error.what() + ".");
    }
}

Result<Json> readJsonFile(const fs::path& path, std::uint64_t maxBytes) {
    ANNEAL_TRY(const auto text, readFile(path, maxBytes));
    return parseJson(text, path.string());
}

std::string dumpJson(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string dumpJsonPretty(const Json& value) {
    return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json jsonNumber(double value) {
    if (std::isfinite(value))
        return value;
    if (std::isnan(value))
        return "NaN";
    return value > 0 ? "Infinity" : "-Infinity";
}

std::optional<double> numberFromJson(const Json& value) {
    if (value.is_number())
        return value.get<double>();
    if (value == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (value == "Infinity")
        return std::numeric_limits<double>::infinity();
    if (value == "-Infinity")
        return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

} // namespace anneal
