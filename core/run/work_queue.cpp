#include "core/run/work_queue.h"

namespace anneal {

WorkQueue::WorkQueue(int threads) {
    for (int i = 0; i < threads; ++i)
        threads_.emplace_back([this] { serve(); });
}

WorkQueue::~WorkQueue() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_)
        thread.join();
}

void WorkQueue::add(std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(work));
    }
    wake_.notify_one();
}

bool WorkQueue::idle() {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() && busy_ == 0;
}

void WorkQueue::serve() {
    for (;;) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (ending_)
            return;
        auto work = std::move(waiting_.front());
        waiting_.pop_front();
        ++busy_;
        lock.unlock();
        work();
        lock.lock();
        --busy_;
    }
}

} // namespace anneal
