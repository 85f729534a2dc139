#include "core/kernels/parallel.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <omp.h>

namespace anneal::kernels {

namespace {

/// Keeps the first exception of several threads.
class FirstException {
public:
    void keep() {
        const std::lock_guard lock(mutex_);
        if (!first_)
            first_ = std::current_exception();
    }
    void raise() const {
        if (first_)
            std::rethrow_exception(first_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

int threadsFor(std::int64_t parts) {
    return static_cast<int>(std::min<std::int64_t>(parts, omp_in_parallel() ? 1 : omp_get_max_threads()));
}

} // namespace

void parallelFor(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeBody body) {
    const std::int64_t count = end - begin;
    if (count <= 0)
        return;
    const int threads = threadsFor(std::max<std::int64_t>(1, count / std::max<std::int64_t>(1, grain)));
    if (threads == 1)
        return body(begin, end);
    FirstException exception;
#pragma omp parallel num_threads(threads)
    {
        const std::int64_t team = omp_get_num_threads(), self = omp_get_thread_num();
        const std::int64_t size = (count + team - 1) / team;
        const std::int64_t first = begin + self * size, last = std::min(end, first + size);
        try {
            if (first < last)
                body(first, last);
        } catch (...) {
            exception.keep();
        }
    }
    exception.raise();
}

void parallelTasks(std::int64_t count, RangeBody body) {
    const int threads = threadsFor(count);
    if (threads <= 1) {
        for (std::int64_t i = 0; i < count; ++i)
            body(i, i + 1);
        return;
    }
    FirstException exception;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::int64_t i = 0; i < count; ++i) {
        try {
            body(i, i + 1);
        } catch (...) {
            exception.keep();
        }
    }
    exception.raise();
}

} // namespace anneal::kernels
