#pragma once
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace anneal {

/// Runs pieces of work on some threads and gives their results in the order of submission. Submitting and
/// taking are for one thread. Work that is not started yet when the pool ends is dropped.
template <class T>
class WorkerPool {
public:
    explicit WorkerPool(unsigned threads) {
        for (unsigned i = 0; i < threads; ++i)
            workers_.emplace_back([this] { work(); });
    }

    ~WorkerPool() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
            queue_.clear();
        }
        wake_.notify_all();
        for (auto& worker : workers_)
            worker.join();
    }

    template <class Work>
    void submit(Work work) {
        std::packaged_task<T()> task(std::move(work));
        results_.push_back(task.get_future());
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(task));
        }
        wake_.notify_one();
    }

    /// Results not taken yet.
    std::size_t pending() const { return results_.size(); }

    /// Waits for the oldest result.
    T takeFirst() {
        auto result = std::move(results_.front());
        results_.pop_front();
        return result.get();
    }

private:
    void work() {
        for (;;) {
            std::packaged_task<T()> task;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
                if (ending_)
                    return;
                task = std::move(queue_.front());
                queue_.pop_front();
            }
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::packaged_task<T()>> queue_;
    std::deque<std::future<T>> results_;
    std::vector<std::thread> workers_;
    bool ending_ = false;
};

} // namespace anneal
