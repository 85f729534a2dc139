#pragma once
#include "core/base/files.h"
#include "core/protocol/events.h"

#include <QTemporaryDir>
#include <string>
#include <vector>

namespace anneal::test {

/// A run over the tiny golden model with dropout, shuffle and packing on, in a folder that goes with the
/// fixture.
class RunFixture {
public:
    RunFixture();

    /// Makes a run folder with its run.yaml; `settings` are further YAML lines at the top level.
    fs::path makeRun(const std::string& id, const std::string& trainingExtra = {}) const;
    fs::path folder() const { return root_; }
    fs::path writeRows(const std::string& name, int rows) const;

private:
    QTemporaryDir directory_;
    fs::path root_, data_, validation_;
};

/// Visible step events of a run, in order.
std::vector<StepEvent> steps(const fs::path& run);
std::vector<EvaluationEvent> evaluations(const fs::path& run);

} // namespace anneal::test
