#pragma once
#include "app/cli/loss_chart.h"
#include "app/cli/terminal.h"
#include "core/runfolder/run_summary.h"

namespace anneal::cli {

/// A run on a terminal: curve, gauges, time left and cost, redrawn in place.
class AttachView {
public:
    explicit AttachView(std::FILE* stream) : terminal_(stream) {}

    void take(const RunFollower::Update& update);
    void take(const TelemetrySample& sample) { sample_ = sample; }
    void draw(const RunSummary& summary);
    const Terminal& terminal() const { return terminal_; }

private:
    std::string head(const RunSummary& summary) const;
    std::string gauges() const;

    Terminal terminal_;
    LossChart chart_;
    std::optional<TelemetrySample> sample_;
    std::string lastWarning_;
};

/// "cpu [####--] 93 %" lines, one a GPU or one for the host; what is unknown is left out.
std::string gaugeText(const TelemetrySample& sample);

} // namespace anneal::cli
