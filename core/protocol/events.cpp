#include "core/protocol/events.h"

#include <utility>

namespace anneal {

namespace {

/// Reads the fields when `type` names this alternative.
template <class T>
bool readAs(std::string_view type, const Json& json, std::optional<Event>& event) {
    if (type != T::type)
        return false;
    if (T record; fromJson(json, record))
        event = std::move(record);
    return true;
}

template <std::size_t... I>
std::optional<Event> readAny(std::string_view type, const Json& json, std::index_sequence<I...>) {
    std::optional<Event> event;
    (readAs<std::variant_alternative_t<I, Event>>(type, json, event) || ...);
    return event;
}

} // namespace

const char* eventType(const Event& event) {
    return std::visit([](const auto& record) { return std::decay_t<decltype(record)>::type; }, event);
}

Json toJson(const EventRecord& record) {
    Json json{{"t", jsonNumber(record.t)}, {"seq", record.seq}, {"type", eventType(record.event)}};
    json.update(std::visit([](const auto& fields) { return toJson(fields); }, record.event));
    return json;
}

std::optional<EventRecord> eventFromJson(const Json& json) {
    if (!json.is_object() || !json.contains("type") || !json["type"].is_string())
        return std::nullopt;
    EventRecord record;
    if ((json.contains("t") && !fromJson(json["t"], record.t)) ||
        (json.contains("seq") && !fromJson(json["seq"], record.seq)))
        return std::nullopt;
    auto event = readAny(json["type"].get_ref<const std::string&>(), json,
                         std::make_index_sequence<std::variant_size_v<Event>>());
    if (!event)
        return std::nullopt;
    record.event = *std::move(event);
    return record;
}

} // namespace anneal
