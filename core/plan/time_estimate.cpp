#include "core/plan/time_estimate.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

// Shares of the dense bf16 peak that QLoRA trainers reach, recomputation counted: a PCIe node of 8 H100
// reports 15 %, published FSDP benchmarks 33 %, kernels tuned for one model up to 45 %.
constexpr double gpuLow = 0.14, gpuMid = 0.28, gpuHigh = 0.45;
// FLOP/s of one core (as the system counts them) in training steps, far below the peak of large products.
// Measured with engine_bench on two threads of one AVX2 core: 30; a core to itself does twice that.
constexpr double amxLow = 70e9, amxMid = 150e9, amxHigh = 300e9;
constexpr double fp32Low = 22e9, fp32Mid = 31e9, fp32High = 70e9;
constexpr double bf16WithoutAmx = 5e9;
/// Reading and quantizing the base, bytes of bf16 weights a second.
constexpr double loadingRate = 0.8e9;
/// Generating goes token by token: it reaches this share of the speed of training.
constexpr double generationShare = 0.15;

double number(std::int64_t value) { return static_cast<double>(value); }

std::string percent(double share) { return std::to_string(std::lround(100 * share)); }
std::string gigaflops(double flops) { return std::to_string(std::lround(flops / 1e9)); }

Throughput range(double low, double mid, double high, double scale, std::string basis) {
    return {low * scale, mid * scale, high * scale, std::move(basis)};
}

bool generatesAnswers(const EvaluationSettings& evaluation) {
    return std::any_of(evaluation.metrics.begin(), evaluation.metrics.end(),
                       [](const std::string& metric) { return metric != "loss" && metric != "perplexity"; });
}

/// Weights that take part in the products of a token: all linears, and the head where the loss is taken.
double weightsPerToken(const ModelConfig& model, double supervised) {
    return number(model.linearParameters()) +
           supervised * number(model.vocab_size) * number(model.hidden_size);
}

TokenShape shapeOf(const DataCounts& counts) {
    if (counts.rows <= 0 || counts.tokens <= 0)
        return {};
    const double share = counts.supervised_tokens > 0 ? counts.supervised_tokens / counts.tokens : 1;
    return {counts.tokens / counts.rows, std::min(1.0, share)};
}

/// Multiplications and additions of causal attention's two products, per token and pass.
double attentionFlops(const ModelConfig& model, double context) {
    return 4 * number(model.num_hidden_layers) * number(model.num_attention_heads * model.head_dim) *
           context / 2;
}

double evaluations(const EvaluationSettings& evaluation, double steps) {
    const double each = evaluation.every_steps <= 0  ? steps
                        : evaluation.every_steps < 1 ? std::ceil(evaluation.every_steps * steps)
                                                     : evaluation.every_steps;
    return (evaluation.at_start ? 1 : 0) + std::ceil(steps / std::max(1.0, each));
}

/// FLOP of all evaluations, weighted as if all of it ran at training speed.
double evaluationFlops(const ModelConfig& model, const RunConfig& config, const DataCounts& counts,
                       double steps) {
    const auto& evaluation = config.evaluation;
    const double forward = 2 * weightsPerToken(model, shapeOf(counts).supervised);
    const double rows = std::min(counts.validation_rows, number(evaluation.max_rows));
    const double rowTokens =
        counts.validation_rows > 0 ? counts.validation_tokens / counts.validation_rows : 0;
    const double prompts =
        static_cast<double>(evaluation.prompts.size()) + (generatesAnswers(evaluation) ? rows : 0);
    const double generated = prompts * number(evaluation.max_new_tokens) / generationShare;
    return evaluations(evaluation, steps) * forward * (rows * rowTokens + generated);
}

double stepCount(const RunConfig& config, const DataCounts& counts, double ranks) {
    const auto& training = config.training;
    const double perStep =
        number(training.per_device_batch_size) * number(training.gradient_accumulation_steps) * ranks;
    return training.max_steps ? number(*training.max_steps)
                              : std::ceil(training.epochs * std::ceil(counts.sequences / perStep));
}

std::string basisText(const Throughput& throughput, const DataCounts& counts, double flops,
                      bool checkpointing) {
    return "roofline: " + gigaflops(flops) + " GFLOP a token (" + (checkpointing ? "6N" : "4N") + ") at " +
           throughput.basis + "; not measured here; tokens from " + counts.basis;
}

} // namespace

Throughput gpuThroughput(double peakFlops, const std::string& dtype) {
    const double scale = dtype == "float32" ? peakFlops / 8 : peakFlops;
    return range(gpuLow, gpuMid, gpuHigh, scale,
                 percent(gpuLow) + "-" + percent(gpuHigh) + " % of " +
                     std::to_string(std::lround(scale / 1e12)) + " TFLOP/s a GPU");
}

Throughput cpuThroughput(double cores, bool amx, const std::string& dtype) {
    const bool bf16 = dtype == "bfloat16" || (dtype == "auto" && amx);
    const auto basis = [&](double low, double high, const char* how) {
        return gigaflops(low) + "-" + gigaflops(high) + " GFLOP/s a core (" + how + ", " +
               std::to_string(std::lround(cores)) + " cores)";
    };
    if (bf16 && amx)
        return range(amxLow, amxMid, amxHigh, cores, basis(amxLow, amxHigh, "bfloat16 on AMX"));
    if (bf16)
        return range(bf16WithoutAmx / 2, bf16WithoutAmx, bf16WithoutAmx * 4, cores,
                     basis(bf16WithoutAmx / 2, bf16WithoutAmx * 4, "bfloat16 without AMX"));
    return range(fp32Low, fp32Mid, fp32High, cores, basis(fp32Low, fp32High, "float32"));
}

double flopsPerToken(const ModelConfig& model, const LoraSettings& lora, bool checkpointing,
                     const TokenShape& shape) {
    const double layers = number(model.linearParameters());
    const double adapter = loraParameters(model, lora);
    const double attention = attentionFlops(model, shape.context);
    const double recomputed = checkpointing ? 2 * layers + 2 * adapter + attention : 0;
    return 4 * weightsPerToken(model, shape.supervised) + 6 * adapter + 3 * attention + recomputed;
}

TimeEstimate estimateTime(const ModelConfig& model, const RunConfig& config, const DataCounts& counts,
                          const MemoryEstimate& memory, const Throughput& throughput, double ranks) {
    if (counts.tokens <= 0 || counts.sequences <= 0 || throughput.low <= 0)
        return {};
    TimeEstimate time;
    time.steps = stepCount(config, counts, ranks);
    const auto& training = config.training;
    const double perStep =
        number(training.per_device_batch_size) * number(training.gradient_accumulation_steps) * ranks;
    const double stepsPerEpoch = std::ceil(counts.sequences / perStep);
    time.tokens = counts.tokens * time.steps / stepsPerEpoch;
    const double perToken = flopsPerToken(model, config.lora, memory.gradient_checkpointing, shapeOf(counts));
    const double flops = time.tokens * perToken + evaluationFlops(model, config, counts, time.steps);
    const double loading = 2 * number(model.totalParameters()) / loadingRate;
    const auto seconds = [&](double rate) { return flops / (rate * ranks) + loading; };
    time.seconds_low = seconds(throughput.high);
    time.seconds = seconds(throughput.mid);
    time.seconds_high = seconds(throughput.low);
    time.basis = basisText(throughput, counts, perToken, memory.gradient_checkpointing);
    return time;
}

} // namespace anneal
