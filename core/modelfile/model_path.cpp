#include "core/modelfile/model_source.h"

#include "core/base/files.h"
#include "core/base/system.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstdlib>

namespace anneal {

namespace {

bool isFolder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

bool present(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// "organisation/name" or "name" as the hub allows them.
bool isHubName(const std::string& text) {
    const auto slashes = std::ranges::count(text, '/');
    const auto allowed = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
               c == '_' || c == '.' || c == '/';
    };
    return !text.empty() && slashes <= 1 && text.front() != '.' && text.front() != '/' &&
           text.back() != '/' && text.find("..") == std::string::npos && std::ranges::all_of(text, allowed);
}

/// The folder in the hub cache: "a/b" -> models--a--b.
fs::path cachedRepository(const std::string& name) {
    std::string folder = "models--";
    for (const char c : name)
        folder += c == '/' ? std::string("--") : std::string(1, c);
    return hubCacheFolder() / folder;
}

/// The snapshot that refs/main names, else the newest one; empty when there is none.
fs::path newestSnapshot(const fs::path& repository) {
    const auto snapshots = repository / "snapshots";
    if (const auto main = readFile(repository / "refs" / "main", 4096)) {
        const auto commit = std::string(trim(*main));
        if (!commit.empty() && commit.find('/') == std::string::npos && commit.front() != '.' &&
            isFolder(snapshots / commit))
            return snapshots / commit;
    }
    fs::path newest;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(snapshots, ignored))
        if (isFolder(entry.path()) &&
            (newest.empty() || modifiedSeconds(entry.path()) > modifiedSeconds(newest)))
            newest = entry.path();
    return newest;
}

/// A folder without config.json may hold one GGUF file, as many of the hub do.
Result<fs::path> modelInFolder(const fs::path& folder) {
    std::error_code ignored;
    if (present(folder / "config.json"))
        return folder;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".gguf")
            files.push_back(entry.path());
    if (files.size() == 1)
        return files.front();
    if (files.empty())
        return folder;
    std::ranges::sort(files);
    return invalidInput(folder.string() + " holds " + std::to_string(files.size()) + " GGUF files.",
                        "Give the path of one of them, e.g. " + files.front().string() + ".");
}

fs::path withHome(const std::string& path) {
    const char* home = std::getenv("HOME");
    return home && path.starts_with("~/") ? fs::path(home) / path.substr(2) : fs::path(path);
}

Error notFound(const std::string& path) {
    if (!isHubName(path) || path.ends_with(".gguf"))
        return invalidInput("There is no model at " + path + ".", "Check the path.");
    return invalidInput("There is no model at " + path + ", and the Hugging Face cache in " +
                            hubCacheFolder().string() + " does not hold a model of this name.",
                        "Download it with `hf download " + path + "`, or check the path.");
}

} // namespace

Result<fs::path> resolveModelPath(const std::string& path) {
    if (path.empty())
        return invalidInput("No model is given.",
                            "Set model.path to a folder, a GGUF file or the name of a model.");
    const auto given = withHome(path);
    if (isFolder(given))
        return modelInFolder(fs::absolute(given).lexically_normal());
    if (present(given))
        return fs::absolute(given).lexically_normal();
    if (isHubName(path))
        if (const auto snapshot = newestSnapshot(cachedRepository(path)); !snapshot.empty())
            return modelInFolder(snapshot);
    return notFound(path);
}

} // namespace anneal
