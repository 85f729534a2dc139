#include "core/base/text.h"
#include "core/schema/checker.h"

#include <algorithm>
#include <set>

namespace anneal::schema {

namespace {

/// A count of at least 1, or one of the words.
bool isCountOr(const std::string& text, std::initializer_list<std::string_view> words) {
    const auto count = parseInteger(text);
    return (count && *count >= 1) || std::find(words.begin(), words.end(), text) != words.end();
}

/// "0,2,5": indices, each once.
bool isIndexList(const std::string& text) {
    std::set<std::int64_t> seen;
    for (const auto part : split(text, ',')) {
        const auto index = parseInteger(trim(part));
        if (!index || *index < 0 || !seen.insert(*index).second)
            return false;
    }
    return text.find(',') != std::string::npos;
}

bool isLoopback(std::string_view host) {
    return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

void checkAddress(Checker& checker, const std::string& address) {
    constexpr std::string_view key = "monitoring.prometheus";
    const auto colon = address.rfind(':');
    const auto port =
        colon == std::string::npos ? std::nullopt : parseInteger(std::string_view(address).substr(colon + 1));
    if (!port || *port < 1 || *port > 65535 || colon == 0)
        checker.error(key, "monitoring.prometheus must be host:port, not " + inQuotes(address),
                      "For example 127.0.0.1:9400.");
    else if (!isLoopback(std::string_view(address).substr(0, colon)))
        checker.warning(key, "The metrics can be read by everyone who reaches " + address,
                        "Use 127.0.0.1 to keep them on this machine.");
}

bool isCurrency(std::string_view text) {
    return text.size() == 3 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

void checkCost(Checker& checker, const CostSettings& cost) {
    if (!isCurrency(cost.currency))
        checker.error("cost.currency",
                      "cost.currency must be three capital letters, not " + inQuotes(cost.currency),
                      "For example USD.");
    if (cost.budget && !cost.hourly_rate && cost.provider.empty())
        checker.warning("cost.budget", "A budget cannot be watched without a price",
                        "Set cost.provider or cost.hourly_rate.");
}

void checkNotify(Checker& checker, const NotifySettings& notify) {
    if (notify.webhook && !notify.webhook->starts_with("https://") && !notify.webhook->starts_with("http://"))
        checker.error("notify.webhook",
                      "notify.webhook must be an http or https address, not " + inQuotes(*notify.webhook),
                      "For example https://example.org/hook.");
    if (notify.on.empty() && (notify.command || notify.webhook))
        checker.warning("notify.on", "No event is chosen, so no notification will be sent",
                        "Use [finished, failed].");
}

bool hasControlCharacter(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

} // namespace

void checkHardware(Checker& checker) {
    const auto& hardware = checker.config().hardware;
    if (!isCountOr(hardware.gpus, {"all", "free"}) && hardware.gpus != "0" && !isIndexList(hardware.gpus))
        checker.error("hardware.gpus",
                      "hardware.gpus must be all, free, a count or a list, not " + inQuotes(hardware.gpus),
                      "For example 2, or 0,2 for the first and third GPU.");
    if (!isCountOr(hardware.ranks, {"auto"}))
        checker.error("hardware.ranks",
                      "hardware.ranks must be auto or a count, not " + inQuotes(hardware.ranks), "Use auto.");
    if (!isCountOr(hardware.threads, {"auto"}))
        checker.error("hardware.threads",
                      "hardware.threads must be auto or a count, not " + inQuotes(hardware.threads),
                      "Use auto.");
}

void checkOperation(Checker& checker) {
    constexpr std::size_t longestName = 200;
    const auto& config = checker.config();
    if (config.name.size() > longestName || hasControlCharacter(config.name))
        checker.error("name", "The name is too long or holds control characters",
                      "Use a short name on one line.");
    checkCost(checker, config.cost);
    checkNotify(checker, config.notify);
    if (config.monitoring.prometheus)
        checkAddress(checker, *config.monitoring.prometheus);
}

} // namespace anneal::schema
