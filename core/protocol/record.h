#pragma once
#include "core/base/json.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace anneal {

// Every message and state is a struct with ONE table of its fields: `static constexpr auto fields()`, a tuple
// of RecordField. The codec below walks the table; an unknown field is ignored, a missing one keeps its
// default.

template <class Struct, class Value>
struct RecordField {
    const char* name;
    Value Struct::*member;
};

template <class Struct, class Value>
constexpr RecordField<Struct, Value> field(const char* name, Value Struct::*member) {
    return {name, member};
}

template <class T>
concept Record = requires {
    T::fields();
};

template <class T>
Json toJson(const std::optional<T>& value);
template <class T>
Json toJson(const std::vector<T>& values);
template <Record T>
Json toJson(const T& record);

inline Json toJson(const Json& value) { return value; }
inline Json toJson(const std::string& value) { return value; }
inline Json toJson(bool value) { return value; }
template <std::integral T>
requires(!std::same_as<T, bool>) Json toJson(T value) { return value; }
inline Json toJson(double value) { return jsonNumber(value); }

template <class T>
Json toJson(const std::optional<T>& value) {
    return value ? toJson(*value) : Json(nullptr);
}
template <class T>
Json toJson(const std::vector<T>& values) {
    Json array = Json::array();
    for (const auto& value : values)
        array.push_back(toJson(value));
    return array;
}
template <Record T>
Json toJson(const T& record) {
    Json object = Json::object();
    std::apply([&](const auto&... field) { ((object[field.name] = toJson(record.*(field.member))), ...); },
               T::fields());
    return object;
}

/// Reads `json` into `value`; false when the type does not fit (then `value` is unchanged or partly read).
inline bool fromJson(const Json& json, Json& value) { return value = json, true; }
inline bool fromJson(const Json& json, std::string& value) {
    return json.is_string() && (value = json.get<std::string>(), true);
}
inline bool fromJson(const Json& json, bool& value) {
    return json.is_boolean() && (value = json.get<bool>(), true);
}
template <std::integral T>
requires(!std::same_as<T, bool>) bool fromJson(const Json& json, T& value) {
    if (json.is_number_unsigned()) {
        const auto number = json.get<std::uint64_t>();
        return std::in_range<T>(number) && (value = static_cast<T>(number), true);
    }
    if (!json.is_number_integer())
        return false;
    const auto number = json.get<std::int64_t>();
    return std::in_range<T>(number) && (value = static_cast<T>(number), true);
}
inline bool fromJson(const Json& json, double& value) {
    const auto number = numberFromJson(json);
    return number && (value = *number, true);
}
template <Record T>
bool fromJson(const Json& json, T& record);
template <class T>
bool fromJson(const Json& json, std::vector<T>& values);

template <class T>
bool fromJson(const Json& json, std::optional<T>& value) {
    if (json.is_null())
        return value.reset(), true;
    return fromJson(json, value.emplace());
}
template <class T>
bool fromJson(const Json& json, std::vector<T>& values) {
    if (!json.is_array())
        return false;
    values.clear();
    for (const auto& item : json)
        if (!fromJson(item, values.emplace_back()))
            return false;
    return true;
}
template <Record T>
bool fromJson(const Json& json, T& record) {
    if (!json.is_object())
        return false;
    const auto readOne = [&](const auto& field) {
        const auto found = json.find(field.name);
        return found == json.end() || fromJson(*found, record.*(field.member));
    };
    return std::apply([&](const auto&... field) { return (readOne(field) && ...); }, T::fields());
}

} // namespace anneal
