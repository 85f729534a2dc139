#pragma once
#include "core/schema/run_config.h"

#include <ATen/core/Tensor.h>
#include <cstdint>

namespace anneal {

/// AdamW (Loshchilov and Hutter 2019) in PyTorch's arithmetic over one flat fp32 tensor: decoupled weight
/// decay, bias correction, epsilon outside the root.
class AdamW {
public:
    /// Moments of the shape of `parameters`, zero.
    AdamW(const at::Tensor& parameters, const TrainingSettings& training);

    /// One update in place.
    void step(at::Tensor& parameters, const at::Tensor& gradients, double learningRate);

    // State for checkpoints.
    at::Tensor& firstMoment() { return firstMoment_; }
    at::Tensor& secondMoment() { return secondMoment_; }
    std::int64_t steps() const { return steps_; }
    void setSteps(std::int64_t steps) { steps_ = steps; }

private:
    at::Tensor firstMoment_, secondMoment_; ///< fp32 [P]
    std::int64_t steps_ = 0;
    double beta1_, beta2_, epsilon_, weightDecay_;
};

/// Scales `gradients` so that their 2-norm is at most `maxNorm` (0: leaves them), as torch's clip_grad_norm_
/// does. Returns the norm before, summed in fp64.
double clipByNorm(at::Tensor& gradients, double maxNorm);

} // namespace anneal
