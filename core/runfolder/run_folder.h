#pragma once
#include "core/base/files.h"
#include "core/protocol/events.h"
#include "core/protocol/state.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace anneal {

/// Paths inside a run folder; makes none of them.
class RunFolder {
public:
    explicit RunFolder(fs::path path) : path_(std::move(path)) {}
    const fs::path& path() const { return path_; }
    std::string id() const { return path_.filename().string(); }
    fs::path config() const { return path_ / "run.yaml"; }
    fs::path state() const { return path_ / "state.json"; }
    fs::path events() const { return path_ / "events.jsonl"; }
    fs::path telemetry() const { return path_ / "telemetry.jsonl"; }
    fs::path control() const { return path_ / "control"; }
    fs::path checkpoints() const { return path_ / "checkpoints"; }
    fs::path checkpoint(std::int64_t step) const; ///< checkpoints/step-00000200
    fs::path logs() const { return path_ / "logs"; }
    fs::path tensorboard() const { return path_ / "tensorboard"; }
    fs::path lock() const { return path_ / ".lock"; }

private:
    fs::path path_;
};

Result<RunState> readState(const RunFolder& folder);
Status writeState(const RunFolder& folder, const RunState& state);

/// The only writer of events.jsonl; continues seq and ends a torn last line.
class EventWriter {
public:
    static Result<EventWriter> open(const RunFolder& folder);
    Status write(Event event);

private:
    LineAppender appender_;
    std::int64_t nextSeq_ = 1;
};

/// Reads the whole lines appended to a text file from where it stopped; a torn last line waits for its end.
class LineFollower {
public:
    explicit LineFollower(fs::path path) : path_(std::move(path)) {}
    /// From the first whole line of the last `tailBytes` on.
    static LineFollower fromTail(fs::path path, std::uint64_t tailBytes);

    /// At most about `maxBytes` at once; empty when there is nothing new. A line longer than that is passed
    /// over.
    std::vector<std::string> poll(std::size_t maxBytes = 8u << 20);

private:
    std::vector<std::string> pollWindow(std::size_t maxBytes);

    fs::path path_;
    std::uint64_t offset_ = 0;
    bool insideLongLine_ = false; ///< the rest of a line that began before the window is being passed over
};

/// Reads appended JSONL records from where it stopped; a torn last line waits for its end, a bad line is
/// skipped.
class JsonlFollower {
public:
    explicit JsonlFollower(fs::path path) : lines_(std::move(path)) {}
    explicit JsonlFollower(LineFollower lines) : lines_(std::move(lines)) {}
    /// New whole records since the last call, at most about `maxBytes` at once; empty when there is none.
    std::vector<Json> poll(std::size_t maxBytes = 8u << 20);

private:
    LineFollower lines_;
};

/// The step a record belongs to; nullopt for started and phase, which have none.
std::optional<std::int64_t> eventStep(const Event& event);
/// Leaves out what a later `resumed` supersedes.
void dropSuperseded(std::vector<EventRecord>& records);

/// All events with the superseded ones (later steps before a `resumed`) left out.
Result<std::vector<EventRecord>> readEvents(const RunFolder& folder);

/// A command file in control/; commands are taken in the order of their names.
struct ControlCommand {
    std::string command; ///< stop, pause, resume, save
    double t = 0;
    static constexpr auto fields() {
        using T = ControlCommand;
        return std::tuple{field("command", &T::command), field("t", &T::t)};
    }
};
Status writeCommand(const RunFolder& folder, const std::string& command);
/// Takes (reads and removes) the oldest command.
std::optional<ControlCommand> takeCommand(const RunFolder& folder);
/// Takes the oldest `command` and leaves all others where they are; false when there is none.
bool takeCommandNamed(const RunFolder& folder, std::string_view command);

/// A checkpoint with a valid manifest (sizes and xxh3 of its files).
struct CheckpointInfo {
    std::int64_t step = 0;
    fs::path path;
    std::int64_t bytes = 0;
};
/// Valid checkpoints in ascending order of step; `verifyHashes` reads all bytes.
std::vector<CheckpointInfo> listCheckpoints(const RunFolder& folder, bool verifyHashes = false);
/// manifest.json over all files of a checkpoint folder, written last.
Status writeManifest(const fs::path& checkpoint);
Status verifyManifest(const fs::path& checkpoint, bool hashes);

} // namespace anneal
