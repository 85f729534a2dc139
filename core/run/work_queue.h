#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace anneal {

/// A few threads that do pieces of work in the order in which they came.
class WorkQueue {
public:
    explicit WorkQueue(int threads);
    /// Waits for work under way; what has not begun is dropped.
    ~WorkQueue();
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    void add(std::function<void()> work);
    /// Nothing waits and nothing is under way.
    bool idle();

private:
    void serve();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> waiting_;
    int busy_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

} // namespace anneal
