#pragma once
#include <QVector>

namespace anneal {

struct PlotPoints {
    QVector<double> x, y;
};

/// The points with x in [from, to], and one more at either side. When there are more than `buckets` can show,
/// each bucket keeps its smallest and its largest value, in their order, so that no spike is lost. `x`
/// ascends; values that are not finite are left out.
PlotPoints decimated(const QVector<double>& x, const QVector<double>& y, double from, double to, int buckets);

} // namespace anneal
