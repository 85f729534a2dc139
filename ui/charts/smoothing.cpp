#include "ui/charts/smoothing.h"

#include <algorithm>
#include <cmath>

namespace anneal {

static bool isConstant(const QVector<double>& values) {
    return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.first(); });
}

QVector<double> smoothed(const QVector<double>& values, double weight) {
    weight = std::clamp(weight, 0.0, 0.999);
    if (weight == 0 || values.isEmpty() || isConstant(values))
        return values;
    QVector<double> result(values.size());
    double last = 0, remaining = 1; // remaining = weight^k
    for (qsizetype i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            result[i] = values[i];
            continue;
        }
        last = weight * last + (1 - weight) * values[i];
        remaining *= weight;
        result[i] = last / (1 - remaining);
    }
    return result;
}

} // namespace anneal
