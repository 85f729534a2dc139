#include "core/schema/config_tree.h"

#include <algorithm>

namespace anneal::schema {

namespace {

class TreeStorer {
public:
    TreeStorer(LoadedConfig& loaded, const YamlTree& tree) : loaded_(loaded), tree_(tree) {}

    void store(const Json& section, const std::string& prefix) {
        for (const auto& [name, value] : section.items())
            storeEntry(prefix + name, value);
    }

private:
    void storeEntry(const std::string& key, const Json& value) {
        if (key == "resolved" && value.is_object())
            loaded_.resolved = value;
        else if (const auto* field = findField(key))
            storeField(loaded_, *field, value, spelling(key), line(key));
        else if (!isSection(key))
            reportUnknownKey(loaded_, key, line(key));
        else if (value.is_object())
            store(value, key + ".");
        else if (!value.is_null())
            reportNoSection(key);
    }

    void reportNoSection(const std::string& key) {
        loaded_.problems.push_back(
            {key, line(key), Severity::Error,
             key + " must be a group of settings" + place(loaded_.file, line(key)) + ".",
             "Write the settings of " + key + " indented below it."});
    }

    int line(const std::string& key) const {
        const auto found = tree_.lines.find(key);
        return found == tree_.lines.end() ? 0 : found->second;
    }

    const std::string* spelling(const std::string& key) const {
        const auto found = tree_.spelling.find(key);
        return found == tree_.spelling.end() ? nullptr : &found->second;
    }

    LoadedConfig& loaded_;
    const YamlTree& tree_;
};

std::string expectedValue(const Field& field) {
    if (field.kind == FieldKind::Sources)
        return "Write a list of {path: FILE, format: auto, weight: 1.0}.";
    const Json standard = field.read(RunConfig());
    return standard.is_null() || standard == "" ? std::string(field.help)
                                                : "The default is " + yamlValue(field, standard) + ".";
}

bool takesText(const Field& field) {
    return field.kind == FieldKind::Text || field.kind == FieldKind::Path || field.kind == FieldKind::Choice;
}

} // namespace

std::string place(const std::string& file, int line) {
    if (line == 0)
        return file.empty() ? "" : " (" + file + ")";
    const std::string number = "line " + std::to_string(line);
    return file.empty() ? " (" + number + ")" : " (" + file + ", " + number + ")";
}

bool isSection(const std::string& key) {
    const auto table = fieldTable();
    return std::any_of(table.begin(), table.end(), [&](const Field& field) {
        return field.key.size() > key.size() && field.key.starts_with(key) && field.key[key.size()] == '.';
    });
}

void reportUnknownKey(LoadedConfig& loaded, const std::string& key, int line) {
    const auto meant = suggestKey(key);
    loaded.problems.push_back(
        {key, line, Severity::Error, "There is no setting \"" + key + "\"" + place(loaded.file, line) + ".",
         meant ? "Use " + *meant + " instead." : "Remove it; anneal config --markdown lists all settings."});
}

void storeField(LoadedConfig& loaded, const Field& field, const Json& value, const std::string* spelling,
                int line) {
    const bool keepSpelling = spelling && takesText(field) && !value.is_null() && !value.is_boolean();
    const auto error = field.write(loaded.config, keepSpelling ? Json(*spelling) : value);
    if (!error)
        return;
    const bool inside = error->starts_with('.');
    loaded.problems.push_back(
        {std::string(field.key), line, Severity::Error,
         std::string(field.key) + (inside ? "" : " ") + *error + place(loaded.file, line) + ".",
         expectedValue(field)});
}

void storeTree(LoadedConfig& loaded, const YamlTree& tree, const std::string& prefix) {
    if (tree.value.is_object())
        TreeStorer(loaded, tree).store(tree.value, prefix);
    else if (!tree.value.is_null())
        loaded.problems.push_back(
            {"", 1, Severity::Error,
             "A configuration is a list of \"key: value\" lines" + place(loaded.file, 1) + ".",
             "See anneal config --dump for an example."});
}

} // namespace anneal::schema
