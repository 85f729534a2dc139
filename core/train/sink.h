#pragma once
#include "core/protocol/events.h"
#include "core/protocol/state.h"

#include <memory>
#include <vector>

namespace anneal {

/// Receives what a run says of itself. A sink that cannot write says so on stderr and lets the run go on.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void emit(const Event& event) = 0;
    /// The state a viewer should see from now on.
    virtual void setStatus(RunStatus, const std::string& /*reason*/) {}
};

/// Passes everything to several sinks.
class FanOut final : public EventSink {
public:
    void add(std::unique_ptr<EventSink> sink) { sinks_.push_back(std::move(sink)); }
    void emit(const Event& event) override {
        for (const auto& sink : sinks_)
            sink->emit(event);
    }
    void setStatus(RunStatus status, const std::string& reason) override {
        for (const auto& sink : sinks_)
            sink->setStatus(status, reason);
    }

private:
    std::vector<std::unique_ptr<EventSink>> sinks_;
};

} // namespace anneal
