#pragma once
#include "core/protocol/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace anneal {

// What a run says of itself: one line of events.jsonl each, {"t", "seq", "type", ...fields}.

constexpr int protocolVersion = 1;

struct StartedEvent {
    static constexpr const char* type = "started";
    std::string program_version;
    int protocol = protocolVersion;
    std::int64_t max_steps = 0;
    std::int64_t steps_per_epoch = 0;
    std::int64_t trainable_parameters = 0;
    std::int64_t total_parameters = 0;
    std::string device; ///< "cpu: AMD EPYC, 2 threads, float32"
    std::string dtype;
    static constexpr auto fields() {
        using T = StartedEvent;
        return std::tuple{field("program_version", &T::program_version),
                          field("protocol", &T::protocol),
                          field("max_steps", &T::max_steps),
                          field("steps_per_epoch", &T::steps_per_epoch),
                          field("trainable_parameters", &T::trainable_parameters),
                          field("total_parameters", &T::total_parameters),
                          field("device", &T::device),
                          field("dtype", &T::dtype)};
    }
};

/// A named stretch of work with honest progress; `total` is 0 while it is not known.
struct PhaseEvent {
    static constexpr const char* type = "phase";
    std::string name; ///< "loading model", "preparing data", "evaluating", "training", "saving", "generating"
    std::int64_t done = 0;
    std::int64_t total = 0;
    std::string unit;
    static constexpr auto fields() {
        using T = PhaseEvent;
        return std::tuple{field("name", &T::name), field("done", &T::done), field("total", &T::total),
                          field("unit", &T::unit)};
    }
};

struct StepEvent {
    static constexpr const char* type = "step";
    std::int64_t step = 0; ///< 1-based optimizer step
    double epoch = 0;
    double loss = 0; ///< mean over the supervised tokens of this optimizer step
    double learning_rate = 0;
    double grad_norm = 0;               ///< before clipping
    std::int64_t tokens = 0;            ///< of this step
    std::int64_t supervised_tokens = 0; ///< of this step
    double tokens_per_second = 0;
    double seconds = 0;            ///< duration of this step
    std::int64_t total_tokens = 0; ///< of the run so far
    static constexpr auto fields() {
        using T = StepEvent;
        return std::tuple{field("step", &T::step),
                          field("epoch", &T::epoch),
                          field("loss", &T::loss),
                          field("learning_rate", &T::learning_rate),
                          field("grad_norm", &T::grad_norm),
                          field("tokens", &T::tokens),
                          field("supervised_tokens", &T::supervised_tokens),
                          field("tokens_per_second", &T::tokens_per_second),
                          field("seconds", &T::seconds),
                          field("total_tokens", &T::total_tokens)};
    }
};

struct EvaluationEvent {
    static constexpr const char* type = "evaluation";
    std::int64_t step = 0; ///< 0: the base, before training
    double loss = 0;
    double perplexity = 0;
    std::int64_t tokens = 0; ///< supervised
    double seconds = 0;
    bool best = false;
    Json metrics = Json::object();
    static constexpr auto fields() {
        using T = EvaluationEvent;
        return std::tuple{
            field("step", &T::step),      field("loss", &T::loss),       field("perplexity", &T::perplexity),
            field("tokens", &T::tokens),  field("seconds", &T::seconds), field("best", &T::best),
            field("metrics", &T::metrics)};
    }
};

struct SampleEvent {
    static constexpr const char* type = "sample";
    std::int64_t step = 0;
    std::string prompt;
    std::string text;
    std::int64_t tokens = 0;
    static constexpr auto fields() {
        using T = SampleEvent;
        return std::tuple{field("step", &T::step), field("prompt", &T::prompt), field("text", &T::text),
                          field("tokens", &T::tokens)};
    }
};

struct CheckpointEvent {
    static constexpr const char* type = "checkpoint";
    std::int64_t step = 0;
    std::string path; ///< relative to the run folder
    std::int64_t bytes = 0;
    double seconds = 0;
    static constexpr auto fields() {
        using T = CheckpointEvent;
        return std::tuple{field("step", &T::step), field("path", &T::path), field("bytes", &T::bytes),
                          field("seconds", &T::seconds)};
    }
};

struct SettingChangedEvent {
    static constexpr const char* type = "setting_changed";
    std::int64_t step = 0;
    std::string key;
    Json from;
    Json to;
    static constexpr auto fields() {
        using T = SettingChangedEvent;
        return std::tuple{field("step", &T::step), field("key", &T::key), field("from", &T::from),
                          field("to", &T::to)};
    }
};

struct WarningEvent {
    static constexpr const char* type = "warning";
    std::int64_t step = 0;
    std::string text;
    std::string fix;
    static constexpr auto fields() {
        using T = WarningEvent;
        return std::tuple{field("step", &T::step), field("text", &T::text), field("fix", &T::fix)};
    }
};

struct ErrorEvent {
    static constexpr const char* type = "error";
    std::int64_t step = 0;
    std::string text;
    std::string fix;
    static constexpr auto fields() {
        using T = ErrorEvent;
        return std::tuple{field("step", &T::step), field("text", &T::text), field("fix", &T::fix)};
    }
};

/// Records with a later step that stand before this line are superseded.
struct ResumedEvent {
    static constexpr const char* type = "resumed";
    std::int64_t step = 0;
    std::string reason;
    static constexpr auto fields() {
        using T = ResumedEvent;
        return std::tuple{field("step", &T::step), field("reason", &T::reason)};
    }
};

/// The answer to a command file.
struct CommandEvent {
    static constexpr const char* type = "command";
    std::int64_t step = 0;
    std::string command; ///< stop, pause, resume, save
    std::string outcome; ///< "accepted" or a sentence why not
    static constexpr auto fields() {
        using T = CommandEvent;
        return std::tuple{field("step", &T::step), field("command", &T::command),
                          field("outcome", &T::outcome)};
    }
};

struct FinishedEvent {
    static constexpr const char* type = "finished";
    std::int64_t step = 0;
    std::string status; ///< finished, stopped, failed
    std::string reason;
    double seconds = 0;
    static constexpr auto fields() {
        using T = FinishedEvent;
        return std::tuple{field("step", &T::step), field("status", &T::status), field("reason", &T::reason),
                          field("seconds", &T::seconds)};
    }
};

using Event =
    std::variant<StartedEvent, PhaseEvent, StepEvent, EvaluationEvent, SampleEvent, CheckpointEvent,
                 SettingChangedEvent, WarningEvent, ErrorEvent, ResumedEvent, CommandEvent, FinishedEvent>;

/// An event with its place in the file.
struct EventRecord {
    double t = 0; ///< unix seconds
    std::int64_t seq = 0;
    Event event;
};

/// {"t", "seq", "type", ...}
Json toJson(const EventRecord& record);
/// nullopt for an unknown type or a field of the wrong type.
std::optional<EventRecord> eventFromJson(const Json& json);
const char* eventType(const Event& event);

} // namespace anneal
