#pragma once
#include "core/protocol/serve.h"

#include <atomic>
#include <mutex>

namespace anneal {

/// The stream to the client: whole lines, from any thread.
class ServeOutput {
public:
    explicit ServeOutput(int descriptor) : descriptor_(descriptor) {}

    void send(const Json& message);
    void notify(std::int64_t subscription, const char* notice, Json params);
    /// The client is gone.
    bool broken() const { return broken_.load(); }
    /// The same, found out without sending.
    bool clientGone() const;

private:
    int descriptor_;
    std::mutex mutex_;
    std::atomic<bool> broken_{false};
};

} // namespace anneal
