#pragma once
#include <atomic>

namespace anneal {

/// Asks a long piece of work to end soon; set from any thread or signal handler.
class CancelToken {
public:
    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> cancelled_{false};
};

} // namespace anneal
