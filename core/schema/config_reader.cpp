#include "core/base/text.h"
#include "core/schema/config_tree.h"

namespace anneal {

namespace {

constexpr std::uint64_t maxConfigBytes = 4u << 20;

/// The setting that `key` names or reaches into; `rest` is what follows it ("0.path").
const Field* fieldAlong(std::string_view key, std::string_view& rest) {
    for (auto end = key.size(); end != std::string_view::npos;
         end = end == 0 ? end - 1 : key.rfind('.', end - 1)) {
        if (const auto* field = findField(key.substr(0, end))) {
            rest = end == key.size() ? std::string_view() : key.substr(end + 1);
            return field;
        }
    }
    return nullptr;
}

/// The entry of `value` that the path "0.path" leads to, made where it continues a list; nullptr when it
/// leads nowhere.
Json* reachInto(Json& value, std::string_view path) {
    Json* place = &value;
    for (const auto part : split(path, '.')) {
        const auto index = parseInteger(part);
        if (place->is_null() && index)
            *place = Json::array();
        if (place->is_array() && index && *index >= 0 && static_cast<std::size_t>(*index) <= place->size()) {
            if (static_cast<std::size_t>(*index) == place->size())
                place->push_back(nullptr);
            place = &(*place)[static_cast<std::size_t>(*index)];
        } else if (!index && (place->is_object() || place->is_null())) {
            place = &(*place)[std::string(part)];
        } else {
            return nullptr;
        }
    }
    return place;
}

class Override {
public:
    Override(LoadedConfig& loaded, std::string_view assignment)
        : loaded_(loaded), equals_(assignment.find('=')), assignment_(assignment) {}

    void apply() {
        const auto key = std::string(trim(assignment_.substr(0, equals_)));
        if (equals_ == std::string_view::npos || key.empty())
            return report(key, "must have the form key=value.", "For example --set training.epochs=3.");
        auto tree = schema::readYaml(assignment_.substr(equals_ + 1), {});
        if (!tree.problems.empty())
            return report(key, "has a value that is not valid YAML.",
                          "Put the value in quotes: key='\"...\"'.");
        tree.lines.clear();
        std::string_view rest;
        const auto* field = fieldAlong(key, rest);
        if (!field)
            return storeSection(key, tree);
        const auto spelling = tree.spelling.find("");
        if (rest.empty())
            schema::storeField(loaded_, *field, tree.value,
                               spelling == tree.spelling.end() ? nullptr : &spelling->second, 0);
        else
            storeInside(*field, rest, tree.value);
    }

private:
    void storeSection(const std::string& key, const schema::YamlTree& tree) {
        if (schema::isSection(key) && tree.value.is_object())
            schema::storeTree(loaded_, prefixed(tree, key), key + ".");
        else
            schema::reportUnknownKey(loaded_, key, 0);
    }

    /// How scalars were spelt, under the keys they have in the configuration.
    static schema::YamlTree prefixed(const schema::YamlTree& tree, const std::string& key) {
        schema::YamlTree moved{tree.value, {}, {}, {}};
        for (const auto& [name, spelling] : tree.spelling)
            moved.spelling[key + "." + name] = spelling;
        return moved;
    }

    void storeInside(const Field& field, std::string_view path, const Json& value) {
        Json whole = field.read(loaded_.config);
        Json* place = whole.is_string() ? nullptr : reachInto(whole, path);
        if (!place)
            return report(std::string(field.key), "leads to no entry of " + std::string(field.key) + ".",
                          "Entries are counted from 0; the next free one is appended.");
        *place = value;
        schema::storeField(loaded_, field, whole, nullptr, 0);
    }

    void report(const std::string& key, const std::string& what, std::string fix) {
        loaded_.problems.push_back(
            {key, 0, Severity::Error, "--set " + std::string(assignment_) + " " + what, std::move(fix)});
    }

    LoadedConfig& loaded_;
    std::size_t equals_;
    std::string_view assignment_;
};

} // namespace

LoadedConfig parseConfig(std::string_view yaml, std::string file) {
    LoadedConfig loaded;
    loaded.file = std::move(file);
    auto tree = schema::readYaml(yaml, loaded.file);
    loaded.lines = tree.lines;
    loaded.problems = std::move(tree.problems);
    schema::storeTree(loaded, tree, {});
    return loaded;
}

Result<LoadedConfig> loadConfig(const fs::path& path) {
    ANNEAL_TRY(const auto text, readFile(path, maxConfigBytes));
    auto loaded = parseConfig(text, path.string());
    std::error_code error;
    const auto absolute = fs::absolute(path, error);
    resolvePaths(loaded.config, (error ? path : absolute).parent_path());
    return loaded;
}

void applyOverride(LoadedConfig& loaded, std::string_view assignment) {
    Override(loaded, assignment).apply();
}

} // namespace anneal
