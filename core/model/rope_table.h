#pragma once
#include "core/modelfile/model_config.h"

#include <ATen/core/Tensor.h>
#include <vector>

namespace anneal {

/// Cosines and sines of rotary position embedding (Su et al. 2021), with the stretching of linear and llama3
/// scaling.
class RopeTable {
public:
    explicit RopeTable(const ModelConfig& config);

    /// Makes sure that positions below `count` are there; grows by powers of two.
    void ensure(std::int64_t count);

    /// Rotates the first `heads` heads of each row of fp32 `x`; direction -1 turns a gradient back.
    void apply(const at::Tensor& x, std::int64_t heads, const at::Tensor& positions, float direction) const;

private:
    std::int64_t headSize_;
    std::vector<float> frequencies_; ///< [headSize / 2]
    std::vector<float> cosines_, sines_;
};

} // namespace anneal
