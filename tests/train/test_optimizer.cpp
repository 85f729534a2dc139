#include "core/train/adamw.h"
#include "core/train/schedule.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <QTest>
#include <cmath>
#include <numbers>

using namespace anneal;

namespace {

TrainingSettings settings(const std::string& scheduler) {
    TrainingSettings training;
    training.scheduler = scheduler;
    training.learning_rate = 1e-5;
    training.warmup_ratio = 0.03;
    return training;
}

} // namespace

class TestOptimizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void warmUpStartsAtZeroAndReachesThePeak() {
        const LearningRateSchedule schedule(settings("cosine"), 100);
        QCOMPARE(schedule.warmupSteps(), 3);
        QCOMPARE(schedule.rate(1), 0.0);
        QCOMPARE(schedule.rate(2), 1e-5 / 3);
        QCOMPARE(schedule.rate(4), 1e-5);
    }

    void cosineFollowsItsFormula() {
        const LearningRateSchedule schedule(settings("cosine"), 100);
        for (const std::int64_t step : {4, 20, 57, 100}) {
            const double expected =
                1e-5 * 0.5 * (1 + std::cos(std::numbers::pi * static_cast<double>(step - 1 - 3) / 97));
            QVERIFY(std::abs(schedule.rate(step) - expected) < 1e-18);
        }
    }

    void linearAndConstant() {
        auto training = settings("linear");
        training.warmup_steps = 0;
        const LearningRateSchedule linear(training, 10);
        QCOMPARE(linear.rate(1), 1e-5);
        QVERIFY(std::abs(linear.rate(6) - 0.5e-5) < 1e-18);
        training.scheduler = "constant";
        const LearningRateSchedule constant(training, 10);
        QCOMPARE(constant.rate(10), 1e-5);
    }

    void floorHoldsTheEnd() {
        auto training = settings("cosine");
        training.warmup_steps = 0;
        training.min_lr_ratio = 0.1;
        const LearningRateSchedule schedule(training, 10);
        QCOMPARE(schedule.rate(1), 1e-5);
        QVERIFY(std::abs(schedule.rate(11) - 1e-6) < 1e-18);
    }

    /// Three steps by the published formula in double, with decay.
    void adamwEqualsItsFormula() {
        auto training = settings("constant");
        training.weight_decay = 0.1;
        auto parameters = at::tensor({0.5f, -2.0f, 0.0f});
        AdamW optimizer(parameters, training);
        double p[3] = {0.5, -2, 0}, m[3] = {}, v[3] = {};
        for (int step = 1; step <= 3; ++step) {
            const float g[3] = {0.3f * static_cast<float>(step), -1.0f, 1e-4f};
            optimizer.step(parameters, at::tensor({g[0], g[1], g[2]}), 0.01);
            for (int i = 0; i < 3; ++i) {
                m[i] = 0.9 * m[i] + 0.1 * g[i];
                v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
                p[i] *= 1 - 0.01 * 0.1;
                p[i] -= 0.01 * (m[i] / (1 - std::pow(0.9, step))) /
                        (std::sqrt(v[i] / (1 - std::pow(0.999, step))) + 1e-8);
                QVERIFY(std::abs(parameters[i].item<float>() - p[i]) < 1e-6);
            }
        }
        QCOMPARE(optimizer.steps(), 3);
    }

    /// bf16 masters would round this update away.
    void parametersMoveAtASmallRate() {
        auto parameters = at::ones({8});
        AdamW optimizer(parameters, settings("constant"));
        optimizer.step(parameters, at::ones({8}), 1e-5);
        QVERIFY(parameters[0].item<float>() < 1.0f);
    }

    void clippingReportsTheNormBefore() {
        auto gradients = at::tensor({3.0f, 4.0f});
        QCOMPARE(clipByNorm(gradients, 1.0), 5.0);
        QVERIFY(std::abs(gradients[1].item<float>() - 0.8f) < 1e-6f);
        QVERIFY(std::abs(clipByNorm(gradients, 0.0) - 1.0) < 1e-5);
    }
};

QTEST_GUILESS_MAIN(TestOptimizer)
#include "test_optimizer.moc"
