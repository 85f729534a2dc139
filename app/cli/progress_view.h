#pragma once
#include "app/cli/terminal.h"
#include "core/protocol/events.h"
#include "core/protocol/state.h"

#include <optional>
#include <string>
#include <vector>

namespace anneal::cli {

/// How a run is told while it goes: phases with their times, evaluations, warnings, and one line for where it
/// stands, rewritten on a terminal, else printed at intervals.
class ProgressView {
public:
    explicit ProgressView(std::FILE* stream);

    void show(const EventRecord& record);
    /// The line of where it stands; cheap to call often.
    void update(const RunSummary& summary);
    /// Something to say in between.
    void say(const std::string& text);
    /// Ends the open phase; returns the phases and their times, in the order in which they began.
    std::vector<std::pair<std::string, double>> finish(double now);

private:
    void beginPhase(const PhaseEvent& phase, double t);
    void endPhase(double t);
    std::string lineOf(const RunSummary& summary) const;

    Terminal terminal_;
    std::string phase_;
    double phaseBegan_ = 0;
    PhaseEvent lastPhase_;
    bool training_ = false;
    double lastPrinted_ = 0;
    std::int64_t printedStep_ = -1;
    std::vector<std::pair<std::string, double>> times_;
};

/// "loading model  [####----]  120 of 272 tensors"
std::string phaseLine(const PhaseEvent& phase);

} // namespace anneal::cli
