#include "core/runfolder/registry.h"

#include "core/base/system.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <sys/stat.h>

namespace anneal {

namespace {

constexpr std::size_t maxNameLength = 60;
constexpr std::size_t candidatesShown = 5;
constexpr const char* newestName = "last"; ///< stands for the newest run, so no run may be called so

bool isRunFolder(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path / "run.yaml", ignored) || fs::exists(path / "state.json", ignored);
}

double createdSeconds(const RunFolder& folder) {
    const auto state = readState(folder);
    return state && state->created > 0 ? state->created : modifiedSeconds(folder.config());
}

bool isNameCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

std::string localTime() {
    const auto now = static_cast<std::time_t>(unixSeconds());
    std::tm parts{};
    ::localtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
    return text;
}

/// False when the name is taken; the folder's own making decides, so two starts at once never share one.
Result<bool> makeRunFolder(const fs::path& path) {
    if (::mkdir(path.c_str(), 0700) != 0) {
        if (errno == EEXIST)
            return false;
        return fileError("create the run folder", path, errno);
    }
    const RunFolder folder(path);
    for (const auto& inside : {folder.control(), folder.checkpoints(), folder.logs()})
        ANNEAL_CHECK(makePrivateFolder(inside));
    return true;
}

Result<RunFolder> createNamed(const fs::path& runs, const std::string& id) {
    if (id.empty() || id != sanitizedRunName(id) || id == newestName)
        return invalidInput(
            "'" + id + "' cannot be the name of a run.",
            "Use up to 60 letters, digits, '.', '_' and '-', beginning with a letter or digit.");
    ANNEAL_TRY(const bool made, makeRunFolder(runs / id));
    if (!made)
        return invalidInput("There is already a run '" + id + "' in " + runs.string() + ".",
                            "Choose another --name, or continue it with `anneal resume " + id + "`.");
    return RunFolder(runs / id);
}

Result<RunFolder> createDated(const fs::path& runs, std::string_view name) {
    auto stem = sanitizedRunName(name);
    stem = (stem.empty() ? "run" : stem) + "-" + localTime();
    for (int number = 1; number < 1000; ++number) {
        const auto path = runs / (number == 1 ? stem : stem + "-" + std::to_string(number));
        ANNEAL_TRY(const bool made, makeRunFolder(path));
        if (made)
            return RunFolder(path);
    }
    return failure("Too many runs were started in this second in " + runs.string() + ".", "Try again.");
}

Error noSuchRun(const std::string& run, const fs::path& runs, const std::vector<std::string>& ids) {
    const auto near = nearest(run, ids);
    return invalidInput("There is no run '" + run + "' in " + runs.string() + ".",
                        near ? "Did you mean '" + *near + "'?" : "`anneal list` shows the runs there are.");
}

Error ambiguous(const std::string& run, std::vector<std::string> matches) {
    const auto total = matches.size();
    matches.resize(std::min(total, candidatesShown));
    return invalidInput("'" + run + "' begins the names of " + std::to_string(total) +
                            " runs: " + join(matches, ", ") + (total > candidatesShown ? ", ..." : "") + ".",
                        "Give more of the name.");
}

} // namespace

std::vector<RunFolder> listRuns(const fs::path& runs) {
    std::vector<std::pair<double, RunFolder>> found;
    std::error_code error;
    for (fs::directory_iterator it(runs, error), end; !error && it != end; it.increment(error))
        if (isRunFolder(it->path()))
            found.emplace_back(createdSeconds(RunFolder(it->path())), it->path());
    std::ranges::sort(found, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second.path() > b.second.path();
    });
    std::vector<RunFolder> folders;
    for (auto& [created, folder] : found)
        folders.push_back(std::move(folder));
    return folders;
}

Result<RunFolder> resolveRun(const std::string& run, const fs::path& runs) {
    if (run.empty())
        return invalidInput("The name of a run is empty.", "`anneal list` shows the runs there are.");
    if (run.find('/') == run.npos && run != "." && run != ".." && isRunFolder(runs / run))
        return RunFolder(runs / run);
    if (isRunFolder(run)) {
        const auto path = fs::absolute(run).lexically_normal();
        return RunFolder(path.has_filename() ? path : path.parent_path()); // "runs/a/" is runs/a
    }
    const auto folders = listRuns(runs);
    if (run == newestName && !folders.empty())
        return folders.front();
    std::vector<std::string> ids, matches;
    for (const auto& folder : folders)
        ids.push_back(folder.id());
    std::ranges::copy_if(ids, std::back_inserter(matches),
                         [&](const auto& id) { return id.starts_with(run); });
    if (matches.size() == 1)
        return RunFolder(runs / matches.front());
    return matches.empty() ? noSuchRun(run, runs, ids) : ambiguous(run, matches);
}

std::string sanitizedRunName(std::string_view name) {
    std::string result;
    for (const char c : trim(name)) {
        if (isNameCharacter(c))
            result += c;
        else if (!result.empty() && result.back() != '-')
            result += '-';
    }
    const auto first = result.find_first_not_of(".-_");
    result = first == result.npos ? std::string() : result.substr(first, maxNameLength);
    while (!result.empty() && result.back() == '-')
        result.pop_back();
    return result;
}

Result<RunFolder> createRunFolder(const fs::path& runs, const std::optional<std::string>& id,
                                  std::string_view name) {
    ANNEAL_CHECK(makePrivateFolder(runs));
    return id ? createNamed(runs, *id) : createDated(runs, name);
}

} // namespace anneal
