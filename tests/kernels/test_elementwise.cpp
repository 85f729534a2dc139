#include "core/base/random.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/parallel.h"
#include "core/kernels/softmax.h"

#include <QtTest>
#include <atomic>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

using namespace anneal;
using namespace anneal::kernels;
using Floats = std::vector<float>;

namespace {

Floats random(std::size_t count, std::uint64_t stream, float scale = 1) {
    Floats values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = scale * static_cast<float>(2 * randomUniform(99, i, stream) - 1);
    return values;
}

/// Slope of `loss` along element i of `at`.
double slope(const std::function<double(const Floats&)>& loss, Floats at, std::size_t i, float step = 1e-2f) {
    const float middle = at[i];
    at[i] = middle + step;
    const double up = loss(at);
    at[i] = middle - step;
    return (up - loss(at)) / (2.0 * step);
}

bool close(double a, double b, double tolerance = 2e-3) {
    return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

} // namespace

/// Each pass against its plain formula and its finite differences; widths that fill no vector are among them.
class TestElementwise : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rmsNormAndItsGradient() {
        const std::int64_t rows = 3, n = 37, stride = 41;
        const auto x = random(rows * n, 1), w = random(n, 2), dy = random(rows * stride, 3);
        const auto forward = [&](const Floats& at) {
            Floats y(rows * stride), rstd(rows);
            rmsNormForward(at.data(), w.data(), 1e-5f, rows, n, y.data(), stride, rstd.data());
            double sum = 0;
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t i = 0; i < n; ++i)
                    sum += double(y[r * stride + i]) * dy[r * stride + i];
            return sum;
        };
        Floats y(rows * stride), again(rows * stride), rstd(rows), dx(rows * n, 0.25f);
        rmsNormForward(x.data(), w.data(), 1e-5f, rows, n, y.data(), stride, rstd.data());
        double square = 0;
        for (std::int64_t i = 0; i < n; ++i)
            square += double(x[n + i]) * x[n + i];
        QVERIFY(close(rstd[1], 1 / std::sqrt(square / n + 1e-5), 1e-5));
        QVERIFY(close(y[stride + 5], x[n + 5] * rstd[1] * w[5], 1e-6));
        rmsNormRepeat(x.data(), w.data(), rstd.data(), rows, n, again.data(), stride);
        QCOMPARE(again, y);
        rmsNormBackward(dy.data(), stride, x.data(), w.data(), rstd.data(), rows, n, dx.data());
        for (std::size_t i = 0; i < x.size(); i += 7)
            QVERIFY(close(dx[i] - 0.25, slope(forward, x, i)));
    }

    void swigluAndItsGradient() {
        const std::int64_t rows = 2, n = 21, stride = 24;
        const auto gateUp = random(rows * 2 * n, 4, 3), dy = random(rows * stride, 5);
        const auto forward = [&](const Floats& at) {
            Floats out(rows * stride, 0.0f);
            swigluForward(at.data(), rows, n, out.data(), stride);
            double sum = 0;
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t i = 0; i < n; ++i)
                    sum += double(out[r * stride + i]) * dy[r * stride + i];
            return sum;
        };
        Floats out(rows * stride), gradient = gateUp;
        swigluForward(gateUp.data(), rows, n, out.data(), stride);
        const double gate = gateUp[3], up = gateUp[n + 3];
        QVERIFY(close(out[3], gate / (1 + std::exp(-gate)) * up, 1e-5));
        swigluBackward(dy.data(), stride, rows, n, gradient.data());
        for (std::size_t i = 0; i < gateUp.size(); ++i)
            QVERIFY(close(gradient[i], slope(forward, gateUp, i)));
    }

    void swigluSurvivesExtremes() {
        const Floats gateUp = {-200, 200, -1e30f, 0, 1, 1, 1, 1};
        Floats out(4), gradient = gateUp;
        swigluForward(gateUp.data(), 1, 4, out.data(), 4);
        swigluBackward(Floats(4, 1.0f).data(), 4, 1, 4, gradient.data());
        for (const float value : out)
            QVERIFY(std::isfinite(value));
        for (const float value : gradient)
            QVERIFY(std::isfinite(value));
        QCOMPARE(out[1], 200.0f);
    }

    void ropeTurnsAndTurnsBack() {
        const std::int64_t heads = 3, size = 10, stride = 40, positions[] = {0, 2};
        Floats cosines(3 * size / 2), sines(3 * size / 2);
        for (std::size_t i = 0; i < cosines.size(); ++i) {
            cosines[i] = std::cos(0.3f * static_cast<float>(i));
            sines[i] = std::sin(0.3f * static_cast<float>(i));
        }
        const auto x = random(2 * stride, 6);
        auto turned = x;
        rope(turned.data(), stride, 2, heads, size, positions, cosines.data(), sines.data(), 1);
        const std::size_t low = stride + size + 1, angle = 2 * size / 2 + 1; // row 1, head 1, pair 1
        QVERIFY(close(turned[low], x[low] * cosines[angle] - x[low + 5] * sines[angle], 1e-6));
        QVERIFY(close(turned[low + 5], x[low + 5] * cosines[angle] + x[low] * sines[angle], 1e-6));
        QCOMPARE(turned[35], x[35]); // behind the heads
        rope(turned.data(), stride, 2, heads, size, positions, cosines.data(), sines.data(), -1);
        for (std::size_t i = 0; i < x.size(); ++i)
            QVERIFY(close(turned[i], x[i], 1e-6));
    }

    void crossEntropyAndItsGradient() {
        const std::int64_t rows = 2, words = 53, labels[] = {7, 52};
        const auto logits = random(rows * words, 7, 5);
        const auto forward = [&](Floats at) {
            double losses[2];
            crossEntropy(at.data(), rows, words, labels, nullptr, losses);
            return losses[0] + losses[1];
        };
        double sum = 0;
        for (std::int64_t i = 0; i < words; ++i)
            sum += std::exp(double(logits[words + i]));
        double losses[2];
        auto gradient = logits;
        const float scale = 0.5f;
        crossEntropy(gradient.data(), rows, words, labels, &scale, losses);
        QVERIFY(close(losses[1], std::log(sum) - logits[words + 52], 1e-6));
        for (std::size_t i = 0; i < logits.size(); i += 5)
            QVERIFY(close(gradient[i], 0.5 * slope(forward, logits, i)));
        QVERIFY(close(gradient[7], 0.5 * slope(forward, logits, 7)));
    }

    void crossEntropyOfSurePredictions() {
        Floats logits = {1000, -1000, 0, -1000};
        const std::int64_t labels[] = {0, 1};
        double losses[2];
        const float scale = 1;
        crossEntropy(logits.data(), 2, 2, labels, &scale, losses);
        QCOMPARE(losses[0], 0.0);
        QVERIFY(close(losses[1], 1000));
        for (const float value : logits)
            QVERIFY(std::isfinite(value));
    }

    void softmaxIsCausal() {
        const std::int64_t rows = 3, keys = 19, limit = 17;
        const auto raw = random(rows * keys, 8, 4);
        auto p = raw;
        Floats lse(rows);
        causalSoftmax(p.data(), keys, rows, keys, limit, 0.7f, lse.data());
        for (std::int64_t r = 0; r < rows; ++r) {
            double sum = 0, exponentials = 0;
            for (std::int64_t i = 0; i < keys; ++i) {
                sum += p[r * keys + i];
                if (i < limit + r)
                    exponentials += std::exp(0.7 * raw[r * keys + i]);
                else
                    QCOMPARE(p[r * keys + i], 0.0f);
            }
            QVERIFY(close(sum, 1, 1e-5));
            QVERIFY(close(lse[r], std::log(exponentials), 1e-5));
        }
        auto again = raw;
        causalProbabilities(again.data(), keys, rows, keys, limit, 0.7f, lse.data());
        for (std::size_t i = 0; i < p.size(); ++i)
            QVERIFY(close(again[i], p[i], 1e-5));
    }

    void oneQueryAttendsAsManyDo() {
        const std::int64_t size = 18, keys = 11, stride = 20;
        const auto q = random(size, 9), k = random(keys * stride, 10), v = random(keys * stride, 11);
        Floats scores(keys), out(size);
        attendOne(q.data(), k.data(), v.data(), stride, keys, size, 0.5f, scores.data(), out.data());
        std::vector<double> weights(keys);
        double total = 0, expected = 0;
        for (std::int64_t t = 0; t < keys; ++t) {
            double score = 0;
            for (std::int64_t i = 0; i < size; ++i)
                score += double(q[i]) * k[t * stride + i];
            total += weights[t] = std::exp(0.5 * score);
        }
        for (std::int64_t t = 0; t < keys; ++t)
            expected += weights[t] / total * v[t * stride + 17];
        QVERIFY(close(out[17], expected, 1e-5));
    }

    void copiesConvert() {
        const auto from = random(3 * 19, 12);
        std::vector<Bf16> half(3 * 20);
        Floats back(3 * 19), sum(3 * 19, 1.0f);
        copyRows(from.data(), 19, 3, 19, half.data(), 20);
        copyRows(half.data(), 20, 3, 19, back.data(), 19);
        addRows(half.data(), 20, 3, 19, sum.data(), 19);
        for (std::size_t i = 0; i < from.size(); ++i) {
            QCOMPARE(back[i], toFloat(toBf16(from[i])));
            QCOMPARE(sum[i], 1.0f + back[i]);
        }
    }

    void parallelRangesCoverEachIndexOnce() {
        std::vector<std::atomic<int>> seen(1001);
        parallelFor(0, 1001, 10, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = begin; i < end; ++i)
                ++seen[static_cast<std::size_t>(i)];
        });
        parallelTasks(1001, [&](std::int64_t i, std::int64_t) { ++seen[static_cast<std::size_t>(i)]; });
        for (const auto& count : seen)
            QCOMPARE(count.load(), 2);
        QVERIFY_EXCEPTION_THROWN(parallelFor(0, 100, 1,
                                             [](std::int64_t, std::int64_t end) {
                                                 if (end == 100)
                                                     throw std::runtime_error("part");
                                             }),
                                 std::runtime_error);
    }
};

QTEST_APPLESS_MAIN(TestElementwise)
#include "test_elementwise.moc"
