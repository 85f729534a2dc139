#include "core/train/adamw.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros_like.h>
#include <cmath>
#include <vector>

namespace anneal {

namespace {

constexpr std::int64_t grain = 1 << 15;

/// Sum of squares in fp64 over fixed blocks, so that the result does not depend on the number of threads.
double sumOfSquares(const at::Tensor& tensor) {
    const float* values = tensor.const_data_ptr<float>();
    const std::int64_t count = tensor.numel(), blocks = (count + grain - 1) / grain;
    std::vector<double> partial(static_cast<std::size_t>(blocks));
    at::parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block) {
            double sum = 0;
            for (std::int64_t i = block * grain; i < std::min(count, (block + 1) * grain); ++i)
                sum += static_cast<double>(values[i]) * values[i];
            partial[static_cast<std::size_t>(block)] = sum;
        }
    });
    double total = 0;
    for (const double sum : partial)
        total += sum;
    return total;
}

} // namespace

AdamW::AdamW(const at::Tensor& parameters, const TrainingSettings& training)
    : firstMoment_(at::zeros_like(parameters)), secondMoment_(at::zeros_like(parameters)),
      beta1_(training.adam_beta1), beta2_(training.adam_beta2), epsilon_(training.adam_epsilon),
      weightDecay_(training.weight_decay) {}

void AdamW::step(at::Tensor& parameters, const at::Tensor& gradients, double learningRate) {
    ++steps_;
    const auto correction1 =
        static_cast<float>(learningRate / (1 - std::pow(beta1_, static_cast<double>(steps_))));
    const auto correction2 =
        static_cast<float>(1 / std::sqrt(1 - std::pow(beta2_, static_cast<double>(steps_))));
    const auto decay = static_cast<float>(1 - learningRate * weightDecay_);
    const auto beta1 = static_cast<float>(beta1_), beta2 = static_cast<float>(beta2_);
    const auto rest1 = static_cast<float>(1 - beta1_), rest2 = static_cast<float>(1 - beta2_);
    const auto epsilon = static_cast<float>(epsilon_);
    float* p = parameters.mutable_data_ptr<float>();
    float* m = firstMoment_.mutable_data_ptr<float>();
    float* v = secondMoment_.mutable_data_ptr<float>();
    const float* g = gradients.const_data_ptr<float>();
    at::parallel_for(0, parameters.numel(), grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            m[i] = beta1 * m[i] + rest1 * g[i];
            v[i] = beta2 * v[i] + rest2 * g[i] * g[i];
            p[i] = decay * p[i] - correction1 * m[i] / (std::sqrt(v[i]) * correction2 + epsilon);
        }
    });
}

double clipByNorm(at::Tensor& gradients, double maxNorm) {
    const double norm = std::sqrt(sumOfSquares(gradients));
    if (maxNorm > 0 && norm > maxNorm)
        gradients.mul_(maxNorm / (norm + 1e-6));
    return norm;
}

} // namespace anneal
