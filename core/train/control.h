#pragma once
#include "core/base/cancel.h"
#include "core/runfolder/run_folder.h"

#include <optional>
#include <string>

namespace anneal {

/// Why a run should end before its last step.
struct StopRequest {
    std::string reason;
    bool interrupted = false; ///< nobody asked for it: the supervisor is gone
};

/// What the outside asks of a running trainer; asked at every step boundary, cheap when nothing is.
class RunControl {
public:
    virtual ~RunControl() = default;
    /// Set once the run has to save and end.
    virtual std::optional<StopRequest> stopRequest() = 0;
    /// The oldest waiting command, already taken.
    virtual std::optional<std::string> takeCommand() = 0;
};

/// Nobody asks for anything: jobs and tests.
class NoControl : public RunControl {
public:
    std::optional<StopRequest> stopRequest() override { return std::nullopt; }
    std::optional<std::string> takeCommand() override { return std::nullopt; }
};

/// The control folder, SIGTERM, SIGUSR1 and SIGINT, and the supervisor's pipe on standard input.
class FolderControl final : public RunControl {
public:
    explicit FolderControl(RunFolder folder);
    std::optional<StopRequest> stopRequest() override;
    std::optional<std::string> takeCommand() override;

private:
    RunFolder folder_;
    bool watchesPipe_;
};

} // namespace anneal
