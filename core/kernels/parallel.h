#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>

namespace anneal::kernels {

/// A borrowed callable over a range [begin, end): no allocation, valid during the call that takes it.
class RangeBody {
public:
    template <class Body>
    RangeBody(const Body& body)
        : object_(std::addressof(body)), call_([](const void* object, std::int64_t begin, std::int64_t end) {
              (*static_cast<const Body*>(object))(begin, end);
          }) {}
    void operator()(std::int64_t begin, std::int64_t end) const { call_(object_, begin, end); }

private:
    const void* object_;
    void (*call_)(const void*, std::int64_t, std::int64_t);
};

/// Splits [begin, end) evenly over OpenMP's threads, the same pool LibTorch computes with; no part is smaller
/// than `grain` unless the whole is. The split depends on range, grain and thread count alone. Inside a
/// parallel region it runs in place. The first exception of a part is thrown again here.
void parallelFor(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeBody body);

/// Runs body(i, i + 1) for each i, parts taken by whichever thread is free: for tasks of unequal length.
void parallelTasks(std::int64_t count, RangeBody body);

} // namespace anneal::kernels
