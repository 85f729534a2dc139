#include "core/base/system.h"

#include "core/base/text.h"

#include <chrono>
#include <cstdlib>
#include <unistd.h>

namespace anneal {

namespace {

/// The environment variable as a path, or an empty path when it is unset or empty.
fs::path environmentPath(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? fs::path(value) : fs::path();
}

fs::path homeFolder() {
    const auto home = environmentPath("HOME");
    return home.empty() ? fs::temp_directory_path() : home;
}

template <class Clock>
double seconds() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

} // namespace

double unixSeconds() { return seconds<std::chrono::system_clock>(); }
double monotonicSeconds() { return seconds<std::chrono::steady_clock>(); }

std::string hostName() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

std::string bootId() {
    const auto text = readFile("/proc/sys/kernel/random/boot_id", 4096);
    return text ? std::string(trim(*text)) : std::string();
}

std::uint64_t processStartTime(int pid) {
    const auto stat = readFile("/proc/" + std::to_string(pid) + "/stat", 1 << 16);
    if (!stat)
        return 0;
    const auto afterName = stat->rfind(')'); // the name may itself hold spaces and brackets
    if (afterName == std::string::npos)
        return 0;
    const auto fields = split(trim(std::string_view(*stat).substr(afterName + 1)), ' ');
    constexpr std::size_t startTime = 22 - 3; // the first field here is number 3, the state
    if (fields.size() <= startTime || fields[0] == "Z")
        return 0;
    return static_cast<std::uint64_t>(parseInteger(fields[startTime]).value_or(0));
}

fs::path runsFolder() {
    if (const auto path = environmentPath("ANNEAL_RUNS_DIR"); !path.empty())
        return fs::absolute(path);
    const auto data = environmentPath("XDG_DATA_HOME");
    return (data.empty() ? homeFolder() / ".local/share" : data) / "anneal/runs";
}

fs::path cacheFolder() {
    if (const auto path = environmentPath("ANNEAL_CACHE_DIR"); !path.empty())
        return fs::absolute(path);
    const auto cache = environmentPath("XDG_CACHE_HOME");
    return (cache.empty() ? homeFolder() / ".cache" : cache) / "anneal";
}

fs::path hubCacheFolder() {
    if (const auto path = environmentPath("HF_HUB_CACHE"); !path.empty())
        return path;
    if (const auto path = environmentPath("HF_HOME"); !path.empty())
        return path / "hub";
    return homeFolder() / ".cache/huggingface/hub";
}

fs::path presetsFolder() {
    if (const auto path = environmentPath("ANNEAL_PRESETS_DIR"); !path.empty())
        return path;
    std::error_code error;
    const auto program = programFolder();
    const auto installed = program.parent_path() / "share/anneal/presets";
    if (fs::is_directory(installed, error))
        return installed;
    for (auto folder = program; folder.has_relative_path(); folder = folder.parent_path())
        if (fs::is_regular_file(folder / "presets/machines.yaml", error))
            return folder / "presets";
    return installed;
}

fs::path programFolder() {
    std::error_code error;
    const auto path = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::current_path() : path.parent_path();
}

} // namespace anneal
