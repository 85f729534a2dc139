#include "core/base/text.h"
#include "core/schema/config_tree.h"

namespace anneal {

Json configToJson(const RunConfig& config) {
    Json json = Json::object();
    for (const auto& field : fieldTable()) {
        Json* place = &json;
        for (const auto part : split(field.key, '.'))
            place = &(*place)[std::string(part)];
        *place = field.read(config);
    }
    return json;
}

LoadedConfig configFromJson(const Json& json) {
    LoadedConfig loaded;
    schema::storeTree(loaded, {json, {}, {}, {}}, {});
    for (auto& problem : loaded.problems)
        problem.line = 0;
    return loaded;
}

} // namespace anneal
