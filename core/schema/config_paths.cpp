#include "core/base/text.h"
#include "core/schema/config_io.h"

#include <cstdlib>

namespace anneal {

namespace {

fs::path expandHome(const std::string& path) {
    const char* home = std::getenv("HOME");
    return home && *home && path.starts_with("~/") ? fs::path(home) / path.substr(2) : fs::path(path);
}

void resolve(std::string& path, const fs::path& folder) {
    if (path.empty())
        return;
    const auto expanded = expandHome(path);
    path = (expanded.is_absolute() ? expanded : folder / expanded).lexically_normal().string();
}

/// A model may also be named as in the hub cache; then the name stays.
void resolveModel(std::string& path, const fs::path& folder) {
    std::error_code error;
    if (!isHubName(path) || fs::exists(folder / path, error))
        resolve(path, folder);
}

} // namespace

bool isHubName(std::string_view name) {
    const auto slash = name.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size() || name.front() == '.' ||
        name.find('/', slash + 1) != std::string_view::npos || name.ends_with(".gguf"))
        return false;
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
    return name.find_first_not_of(allowed) == std::string_view::npos && name[slash + 1] != '.';
}

void resolvePaths(RunConfig& config, const fs::path& folder) {
    resolveModel(config.model.path, folder);
    for (auto& source : config.data.train)
        resolve(source.path, folder);
    if (!parseDouble(config.data.validation))
        resolve(config.data.validation, folder);
    if (config.data.template_source != "auto" && config.data.template_source != "none")
        resolve(config.data.template_source, folder);
    if (config.lora.init_adapter)
        resolve(*config.lora.init_adapter, folder);
}

} // namespace anneal
