#pragma once
#include "core/base/json.h"
#include "core/runfolder/run_folder.h"

#include <QProcess>
#include <QTemporaryDir>
#include <functional>
#include <string>
#include <vector>

namespace anneal::test {

/// How a program ended and what it wrote.
struct ProgramResult {
    int code = -1; ///< -1: it did not end in time, or by a signal
    std::string output, errors;
    /// Standard output as JSON; null when it is none.
    Json json() const;
};

/// The program `anneal` in a folder of its own, with the fake engine, a cache and a runs folder beside it;
/// processes that a test leaves behind are ended with the harness.
class RunHarness {
public:
    RunHarness();
    ~RunHarness();

    fs::path root() const { return root_; }
    fs::path runs() const { return root_ / "runs"; }
    std::string program() const { return (root_ / "anneal").string(); }

    /// What the fake engine does from now on.
    void tellEngine(const std::string& settings) {
        environment_.insert("FAKE_ENGINE", QString::fromStdString(settings));
    }
    QProcessEnvironment environment() const { return environment_; }

    /// A configuration over the tiny golden model and rows of token ids; `extra` are further YAML lines.
    fs::path writeConfig(const std::string& name, const std::string& extra = {}) const;
    /// A run folder ready to be supervised.
    RunFolder makeRun(const std::string& id, const std::string& extra = {}) const;

    ProgramResult run(const std::vector<std::string>& arguments, const std::string& input = {}) const;
    /// Starts `anneal` and returns at once.
    std::unique_ptr<QProcess> start(const std::vector<std::string>& arguments) const;

private:
    QTemporaryDir directory_;
    fs::path root_;
    QProcessEnvironment environment_;
};

/// Looks again and again until `done`, at most `seconds`.
bool eventually(const std::function<bool()>& done, double seconds = 20);

/// Records of one type, in the order of the file, superseded ones left out.
template <class Kind>
std::vector<Kind> eventsOf(const RunFolder& folder) {
    std::vector<Kind> found;
    if (const auto events = readEvents(folder))
        for (const auto& record : *events)
            if (const auto* event = std::get_if<Kind>(&record.event))
                found.push_back(*event);
    return found;
}

} // namespace anneal::test
