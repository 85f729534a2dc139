#pragma once
#include "core/schema/config_io.h"
#include "core/schema/yaml_tree.h"

namespace anneal::schema {

/// " (run.yaml, line 7)", or what is known of it; empty when nothing is.
std::string place(const std::string& file, int line);

/// Stores a tree of settings below `prefix` (empty, or "training." with its point) into the configuration;
/// what does not fit becomes a problem of `loaded`, with its line and file where they are known.
void storeTree(LoadedConfig& loaded, const YamlTree& tree, const std::string& prefix);

/// Stores one setting; `spelling` is how its plain scalar was written, if it was one.
void storeField(LoadedConfig& loaded, const Field& field, const Json& value, const std::string* spelling,
                int line);

void reportUnknownKey(LoadedConfig& loaded, const std::string& key, int line);

/// Whether `key` is a section: the start of some setting's key.
bool isSection(const std::string& key);

/// Text as a YAML scalar that YAML 1.1 and 1.2 readers take for the same text.
std::string yamlText(const std::string& text);
/// The value of a setting as one line of YAML.
std::string yamlValue(const Field& field, const Json& value);

} // namespace anneal::schema
