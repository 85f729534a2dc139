#pragma once
#include <QVector>

namespace anneal {

/// Exponential moving average without the bias of its start, as TensorBoard draws it: for each finite y,
/// last = w last + (1 - w) y and out = last / (1 - w^k). Values that are not finite pass through and do not
/// count; a constant series comes back unchanged. `weight` is held within [0, 0.999].
QVector<double> smoothed(const QVector<double>& values, double weight);

} // namespace anneal
