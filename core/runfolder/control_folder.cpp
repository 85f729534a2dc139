#include "core/runfolder/run_folder.h"

#include "core/base/system.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <unistd.h>

namespace anneal {

namespace {

constexpr std::uint64_t maxCommandBytes = 64u << 10;

/// Sorts by time; two writers in one nanosecond still differ.
std::string commandFileName(double t) {
    static std::atomic<unsigned> counter{0};
    char name[80];
    std::snprintf(name, sizeof name, "%020lld-%d-%06u.json", static_cast<long long>(t * 1e6),
                  static_cast<int>(::getpid()), ++counter % 1000000);
    return name;
}

/// Finished command files in the order of their names; files being written begin with a point.
std::vector<fs::path> commandFiles(const RunFolder& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator it(folder.control(), error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".json" && it->path().filename().string().front() != '.')
            files.push_back(it->path());
    std::sort(files.begin(), files.end());
    return files;
}

std::optional<ControlCommand> readCommand(const fs::path& file) {
    const auto json = readJsonFile(file, maxCommandBytes);
    ControlCommand command;
    if (!json || !fromJson(*json, command) || command.command.empty())
        return std::nullopt;
    return command;
}

bool removeFile(const fs::path& file) {
    std::error_code error;
    return fs::remove(file, error);
}

} // namespace

Status writeCommand(const RunFolder& folder, const std::string& command) {
    ANNEAL_CHECK(makePrivateFolder(folder.control()));
    const ControlCommand content{command, unixSeconds()};
    return writeFileAtomic(folder.control() / commandFileName(content.t), dumpJson(toJson(content)));
}

std::optional<ControlCommand> takeCommand(const RunFolder& folder) {
    for (const auto& file : commandFiles(folder)) {
        auto command = readCommand(file);
        if (removeFile(file) && command) // what cannot be read is no command
            return command;
    }
    return std::nullopt;
}

bool takeCommandNamed(const RunFolder& folder, std::string_view command) {
    for (const auto& file : commandFiles(folder))
        if (const auto found = readCommand(file); found && found->command == command)
            return removeFile(file);
    return false;
}

} // namespace anneal
