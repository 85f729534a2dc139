#include "core/model/rope_table.h"

#include "core/model/rows.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace anneal {

namespace {

/// Llama 3's scaling: long waves are divided by `factor`, short ones kept, those between blended.
double llama3Frequency(double frequency, const RopeScaling& scaling) {
    const double wavelength = 2 * std::numbers::pi / frequency;
    const auto original = static_cast<double>(scaling.original_max_position_embeddings);
    if (wavelength > original / scaling.low_freq_factor)
        return frequency / scaling.factor;
    if (wavelength < original / scaling.high_freq_factor)
        return frequency;
    const double smooth = (original / wavelength - scaling.low_freq_factor) /
                          (scaling.high_freq_factor - scaling.low_freq_factor);
    return (1 - smooth) * frequency / scaling.factor + smooth * frequency;
}

double scaledFrequency(double frequency, const RopeScaling& scaling) {
    switch (scaling.kind) {
    case RopeScaling::Kind::Linear: return frequency / scaling.factor;
    case RopeScaling::Kind::Llama3: return llama3Frequency(frequency, scaling);
    case RopeScaling::Kind::None: break;
    }
    return frequency;
}

} // namespace

RopeTable::RopeTable(const ModelConfig& config) : headSize_(config.head_dim) {
    for (std::int64_t i = 0; i < headSize_ / 2; ++i) {
        const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(headSize_);
        const double frequency = std::pow(config.rope_theta, -exponent);
        frequencies_.push_back(static_cast<float>(scaledFrequency(frequency, config.rope_scaling)));
    }
}

void RopeTable::ensure(std::int64_t count) {
    const auto half = frequencies_.size();
    const auto have = cosines_.size() / std::max<std::size_t>(1, half);
    if (static_cast<std::size_t>(count) <= have)
        return;
    const auto wanted = std::bit_ceil(static_cast<std::size_t>(count));
    cosines_.resize(wanted * half);
    sines_.resize(wanted * half);
    for (std::size_t position = have; position < wanted; ++position)
        for (std::size_t i = 0; i < half; ++i) {
            const double angle =
                static_cast<float>(position) * frequencies_[i]; // fp32, as the models were trained
            cosines_[position * half + i] = static_cast<float>(std::cos(angle));
            sines_[position * half + i] = static_cast<float>(std::sin(angle));
        }
}

void RopeTable::apply(const at::Tensor& x, std::int64_t heads, const at::Tensor& positions,
                      float direction) const {
    kernels::rope(rows::data<float>(x), x.stride(0), x.size(0), heads, headSize_,
                  positions.const_data_ptr<std::int64_t>(), cosines_.data(), sines_.data(), direction);
}

} // namespace anneal
