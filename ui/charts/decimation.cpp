#include "ui/charts/decimation.h"

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

/// Smallest and largest value of one bucket.
class Bucket {
public:
    void add(double x, double y) {
        if (count_ == 0 || y < low_.second)
            low_ = {x, y};
        if (count_ == 0 || y > high_.second)
            high_ = {x, y};
        ++count_;
    }
    void flushInto(PlotPoints& points) {
        const bool lowFirst = low_.first <= high_.first;
        if (count_ > 0)
            append(points, lowFirst ? low_ : high_);
        if (count_ > 1 && low_ != high_)
            append(points, lowFirst ? high_ : low_);
        count_ = 0;
    }

private:
    using Point = std::pair<double, double>;
    static void append(PlotPoints& points, const Point& point) {
        points.x.append(point.first);
        points.y.append(point.second);
    }
    Point low_, high_;
    int count_ = 0;
};

} // namespace

PlotPoints decimated(const QVector<double>& x, const QVector<double>& y, double from, double to,
                     int buckets) {
    auto first = std::lower_bound(x.begin(), x.end(), from) - x.begin();
    auto last = std::upper_bound(x.begin() + first, x.end(), to) - x.begin();
    first = std::max<qsizetype>(0, first - 1);
    last = std::min<qsizetype>(x.size(), last + 1);
    const auto count = last - first;
    PlotPoints points;
    if (count <= 0)
        return points;
    const bool thin = count > 2 * static_cast<qsizetype>(std::max(1, buckets));
    const double width = thin ? std::max((x[last - 1] - x[first]) / std::max(1, buckets), 1e-300) : 0;
    Bucket bucket;
    double bucketEnd = x[first] + width;
    for (auto i = first; i < last; ++i) {
        if (!thin || x[i] > bucketEnd) {
            bucket.flushInto(points);
            bucketEnd = x[first] + width * (std::floor((x[i] - x[first]) / std::max(width, 1e-300)) + 1);
        }
        if (std::isfinite(y[i]))
            bucket.add(x[i], y[i]);
    }
    bucket.flushInto(points);
    return points;
}

} // namespace anneal
