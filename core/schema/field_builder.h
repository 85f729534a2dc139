#pragma once
#include "core/schema/field_values.h"

#include <type_traits>
#include <utility>

namespace anneal::schema {

/// Follows member pointers from a configuration to one of its values.
template <auto First, auto... Rest, class Object>
auto& reach(Object& object) {
    if constexpr (sizeof...(Rest) == 0)
        return object.*First;
    else
        return reach<Rest...>(object.*First);
}

template <class T>
struct Unwrapped {
    using Type = T;
    static constexpr bool optional = false;
};
template <class T>
struct Unwrapped<std::optional<T>> {
    using Type = T;
    static constexpr bool optional = true;
};

template <class T>
constexpr FieldKind kindOf() {
    if constexpr (std::is_same_v<T, bool>)
        return FieldKind::Boolean;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return FieldKind::Integer;
    else if constexpr (std::is_same_v<T, double>)
        return FieldKind::Number;
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
        return FieldKind::TextList;
    else if constexpr (std::is_same_v<T, std::vector<DataSource>>)
        return FieldKind::Sources;
    else
        return FieldKind::Text;
}

template <class T>
Json toFieldJson(const T& value) {
    if constexpr (Unwrapped<T>::optional)
        return value ? toFieldJson(*value) : Json(nullptr);
    else if constexpr (std::is_same_v<T, std::vector<DataSource>>)
        return writeValue(value);
    else if constexpr (std::is_same_v<T, double>)
        return jsonNumber(value);
    else
        return Json(value);
}

template <class T>
TypeError fromFieldJson(const Json& json, T& value, TextListStyle style) {
    if constexpr (Unwrapped<T>::optional) {
        if (json.is_null())
            return value.reset(), std::nullopt;
        typename Unwrapped<T>::Type inner{};
        auto error = fromFieldJson(json, inner, style);
        if (!error)
            value = std::move(inner);
        return error;
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        return readValue(json, value, style);
    } else {
        return readValue(json, value);
    }
}

/// One row of the table under construction; every call names one column.
class Row {
public:
    /// `Path` are the member pointers from RunConfig to the value.
    template <auto... Path>
    static Row of(std::string_view key, std::string_view label, std::string_view help) {
        using Value = std::remove_cvref_t<decltype(reach<Path...>(std::declval<RunConfig&>()))>;
        Row row;
        row.field_.key = key;
        row.field_.label = label;
        row.field_.help = help;
        row.field_.kind = kindOf<typename Unwrapped<Value>::Type>();
        row.field_.optional = Unwrapped<Value>::optional;
        row.field_.read = [](const RunConfig& config) { return toFieldJson(reach<Path...>(config)); };
        row.field_.write = [](RunConfig& config, const Json& json) {
            return fromFieldJson(json, reach<Path...>(config), TextListStyle::Whole);
        };
        return row;
    }
    /// A list of single words, which one text with commas may state as well.
    template <auto... Path>
    static Row wordsOf(std::string_view key, std::string_view label, std::string_view help) {
        Row row = of<Path...>(key, label, help);
        row.field_.write = [](RunConfig& config, const Json& json) {
            return fromFieldJson(json, reach<Path...>(config), TextListStyle::Words);
        };
        return row;
    }
    /// A text that may also be written as a list of numbers.
    template <auto... Path>
    static Row listTextOf(std::string_view key, std::string_view label, std::string_view help) {
        Row row = of<Path...>(key, label, help);
        row.field_.write = [](RunConfig& config, const Json& json) {
            return readListAsText(json, reach<Path...>(config));
        };
        return row;
    }

    Row path() && { return field_.kind = FieldKind::Path, std::move(*this); }
    /// Exactly these values are allowed.
    Row choices(std::vector<std::string> all) &&;
    /// These values are well known; others are allowed.
    Row known(std::vector<std::string> values) && {
        return field_.choices = std::move(values), std::move(*this);
    }
    Row from(double minimum) && { return field_.minimum = minimum, std::move(*this); }
    Row above(double minimum) && {
        field_.minimumExclusive = true;
        return std::move(*this).from(minimum);
    }
    Row upTo(double maximum) && { return field_.maximum = maximum, std::move(*this); }
    Row below(double maximum) && {
        field_.maximumExclusive = true;
        return std::move(*this).upTo(maximum);
    }
    Row unit(std::string_view text) && { return field_.unit = text, std::move(*this); }
    Row prose() && { return field_.prose = true, std::move(*this); }
    Row expert() && { return field_.level = FieldLevel::Expert, std::move(*this); }
    Row when(std::string_view condition) && { return field_.visibleWhen = condition, std::move(*this); }
    /// Names of the same setting in other tools.
    Row aka(std::vector<std::string> names) && { return field_.aliases = std::move(names), std::move(*this); }

    Field take(std::string_view group) && { return field_.group = group, std::move(field_); }

private:
    Field field_;
};

inline Row Row::choices(std::vector<std::string> all) && {
    field_.kind = field_.kind == FieldKind::Text ? FieldKind::Choice : field_.kind;
    field_.choices = std::move(all);
    field_.closed = true;
    // YAML 1.1 reads a bare `on` or `off` as true or false.
    field_.write = [inner = std::move(field_.write)](RunConfig& config, const Json& json) {
        return json.is_boolean() ? inner(config, json.get<bool>() ? "on" : "off") : inner(config, json);
    };
    return std::move(*this);
}

/// The rows of one page section, in order.
using Rows = std::vector<Row>;
void append(std::vector<Field>& table, std::string_view group, Rows rows);

// One function a group of sections, in the order of the YAML file.
void appendGeneralFields(std::vector<Field>& table);
void appendModelFields(std::vector<Field>& table);
void appendDataFields(std::vector<Field>& table);
void appendTrainingFields(std::vector<Field>& table);
void appendHardwareFields(std::vector<Field>& table);
void appendEvaluationFields(std::vector<Field>& table);
void appendOperationFields(std::vector<Field>& table);

} // namespace anneal::schema
