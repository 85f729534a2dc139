#include "core/train/memory_budget.h"

#include "core/base/files.h"
#include "core/base/text.h"

namespace anneal {

namespace {

/// MemAvailable of /proc/meminfo in bytes, 0 when unknown.
double availableMemory() {
    const auto text = readFile("/proc/meminfo", 1 << 16);
    if (!text)
        return 0;
    for (const auto line : split(*text, '\n'))
        if (line.starts_with("MemAvailable:"))
            if (const auto kib = parseDouble(trim(line.substr(13, line.rfind("kB") - 13))))
                return *kib * 1024;
    return 0;
}

} // namespace

double activationBytes(const ModelConfig& model, const RunConfig& config, at::ScalarType dtype) {
    const auto tokens = static_cast<double>(config.training.per_device_batch_size * config.data.max_length);
    const double element = dtype == at::kBFloat16 ? 2 : 4;
    const auto q = static_cast<double>(model.num_attention_heads * model.head_dim);
    const auto kv = static_cast<double>(model.num_key_value_heads * model.head_dim);
    // A layer keeps two residual inputs, two normalised inputs, q, k, v, the attention output, and gate, up,
    // product.
    const double perToken = 4 * static_cast<double>(model.hidden_size) + 2 * q + 2 * kv +
                            3 * static_cast<double>(model.intermediate_size);
    return tokens * perToken * element * static_cast<double>(model.num_hidden_layers);
}

bool needsCheckpointing(const ModelConfig& model, const RunConfig& config, const Compute& compute) {
    const double available = availableMemory();
    return available > 0 && activationBytes(model, config, compute.dtype) > available / 2;
}

} // namespace anneal
