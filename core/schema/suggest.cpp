#include "core/base/text.h"
#include "core/schema/field_table.h"

#include <algorithm>
#include <map>
#include <set>

namespace anneal {

namespace {

std::string normalised(std::string_view key) {
    auto text = lowerAscii(key);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

std::string lastPart(std::string_view key) {
    const auto dot = key.rfind('.');
    return std::string(dot == std::string_view::npos ? key : key.substr(dot + 1));
}

/// Names of the settings in other tools, and the last parts of our own keys, to the key that is meant.
/// Where several keys end alike ("every_steps"), the first of the table stands.
const std::map<std::string, std::string, std::less<>>& knownNames() {
    static const auto names = [] {
        std::map<std::string, std::string, std::less<>> map;
        for (const auto& field : fieldTable())
            for (const auto& alias : field.aliases)
                map.emplace(normalised(alias), field.key);
        for (const auto& field : fieldTable())
            map.emplace(lastPart(field.key), field.key);
        return map;
    }();
    return names;
}

/// All keys and the sections that hold them.
const std::vector<std::string>& ownKeys() {
    static const auto keys = [] {
        std::set<std::string> sections;
        std::vector<std::string> list;
        for (const auto& field : fieldTable()) {
            list.emplace_back(field.key);
            for (auto dot = field.key.find('.'); dot != std::string_view::npos;
                 dot = field.key.find('.', dot + 1))
                sections.emplace(field.key.substr(0, dot));
        }
        list.insert(list.end(), sections.begin(), sections.end());
        return list;
    }();
    return keys;
}

std::optional<std::string> lookUp(const std::string& name) {
    const auto found = knownNames().find(name);
    return found == knownNames().end() ? std::nullopt : std::optional(found->second);
}

/// The setting of the same section whose last part is nearest: "lora.rnk" is not "lora" but "lora.rank".
std::optional<std::string> nearestSibling(const std::string& key) {
    const auto dot = key.rfind('.');
    if (dot == std::string::npos)
        return std::nullopt;
    std::vector<std::string> siblings;
    for (const auto& own : ownKeys())
        if (own.size() > dot && own.compare(0, dot + 1, key, 0, dot + 1) == 0)
            siblings.push_back(own.substr(dot + 1));
    const auto found = nearest(key.substr(dot + 1), siblings);
    return found ? std::optional(key.substr(0, dot + 1) + *found) : std::nullopt;
}

} // namespace

std::optional<std::string> suggestKey(std::string_view unknown) {
    const auto key = normalised(unknown);
    if (key.empty())
        return std::nullopt;
    if (findField(key))
        return key;
    if (auto found = lookUp(key))
        return found;
    if (auto found = lookUp(lastPart(key)))
        return found;
    if (auto found = nearestSibling(key))
        return found;
    if (auto found = nearest(key, ownKeys()))
        return found;
    std::vector<std::string> names;
    for (const auto& [name, meant] : knownNames())
        names.push_back(name);
    const auto name = nearest(lastPart(key), names);
    return name ? lookUp(*name) : std::nullopt;
}

} // namespace anneal
