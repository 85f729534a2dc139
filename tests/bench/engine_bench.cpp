// Speed of the engine on this machine: engine_bench [MODEL] [--threads N] [--seconds S] [--bf16] [--part
// NAME] Prints one line a case: tokens a second of training, and where the time goes.
#include "core/base/system.h"
#include "core/base/text.h"
#include "core/model/decoder.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>

using namespace anneal;

namespace {

struct Arguments {
    std::string model = ANNEAL_MODEL_GGUF;
    int threads = 0;
    double seconds = 5;
    bool bf16 = false;
    std::string part = "all";
};

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
        if (word == "--threads")
            arguments.threads = static_cast<int>(parseInteger(next()).value_or(0));
        else if (word == "--seconds")
            arguments.seconds = parseDouble(next()).value_or(5);
        else if (word == "--bf16")
            arguments.bf16 = true;
        else if (word == "--part")
            arguments.part = next();
        else
            arguments.model = word;
    }
    return arguments;
}

TokenBatch makeBatch(std::int64_t documents, std::int64_t length, std::int64_t vocabulary,
                     double supervised) {
    TokenBatch batch;
    const std::int64_t total = documents * length;
    batch.input_ids = (at::arange(total, at::kLong) * 7919) % vocabulary;
    batch.positions = at::arange(total, at::kLong) % length;
    batch.labels = (at::arange(total, at::kLong) * 104729) % vocabulary;
    const auto first = static_cast<std::int64_t>(static_cast<double>(length) * (1 - supervised));
    batch.labels.masked_fill_(batch.positions < first, -100);
    batch.cu_seqlens.push_back(0);
    for (std::int64_t i = 0; i < documents; ++i) {
        batch.cu_seqlens.push_back((i + 1) * length);
        batch.document_keys.push_back(static_cast<std::uint64_t>(i));
    }
    return batch;
}

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Seconds {
    double wall = 1e9;
    double processor = 1e9; ///< of all threads: on a busy machine, with one thread, the figure to trust
};

/// Best of several runs within the time given.
Seconds best(double seconds, const std::function<void()>& run) {
    run();
    Seconds least;
    const double end = monotonicSeconds() + seconds;
    do {
        const double start = monotonicSeconds(), used = processorSeconds();
        run();
        least.wall = std::min(least.wall, monotonicSeconds() - start);
        least.processor = std::min(least.processor, processorSeconds() - used);
    } while (monotonicSeconds() < end);
    return least;
}

/// What LibTorch's product reaches here, in GFLOP/s of wall and of processor time: the ceiling of the engine.
void benchProduct(double seconds) {
    const auto a = at::rand({512, 576}), b = at::rand({3072, 576});
    auto c = at::empty({512, 3072});
    const auto time = best(seconds, [&] { at::mm_out(c, a, b.t()); });
    const double flop = 2.0 * 512 * 576 * 3072;
    std::printf("fp32 product 512 x 576 x 3072: %.0f GFLOP/s, %.0f a processor second\n",
                flop / time.wall / 1e9, flop / time.processor / 1e9);
    std::fflush(stdout);
}

template <class T>
T need(Result<T> result) {
    if (!result.ok()) {
        std::fprintf(stderr, "%s\n", result.error().text().c_str());
        std::exit(1);
    }
    return *std::move(result);
}

void benchTraining(Decoder& decoder, const Arguments& arguments, std::int64_t documents, std::int64_t length,
                   double supervised) {
    const auto batch = makeBatch(documents, length, decoder.config().vocab_size, supervised);
    const auto unsupervised = makeBatch(documents, length, decoder.config().vocab_size, 0);
    const auto tokens = static_cast<double>(documents * length);
    const auto step = best(arguments.seconds, [&] {
        need(decoder.forwardBackward(batch, 1.0 / tokens, {42, 1}));
    });
    const auto forward = best(arguments.seconds / 4, [&] { need(decoder.evaluate(unsupervised)); });
    const auto withLoss = best(arguments.seconds / 4, [&] { need(decoder.evaluate(batch)); });
    const auto& config = decoder.config();
    const double flop =
        4.0 * static_cast<double>(config.linearParameters()) * tokens +
        4.0 * supervised * tokens * static_cast<double>(config.vocab_size * config.hidden_size);
    std::printf("%ldx%-4ld %3.0f %% supervised: %6.1f tokens/s, %.3f s a step; forward %.3f, loss without "
                "gradient %.3f; "
                "processor %.3f, %.3f, %.3f; %.0f GFLOP/s, %.0f a processor second\n",
                static_cast<long>(documents), static_cast<long>(length), 100 * supervised, tokens / step.wall,
                step.wall, forward.wall, withLoss.wall - forward.wall, step.processor, forward.processor,
                withLoss.processor - forward.processor, flop / step.wall / 1e9, flop / step.processor / 1e9);
    std::fflush(stdout);
}

void benchGeneration(Decoder& decoder, std::int64_t sequences, std::int64_t promptLength, int steps) {
    const auto cache = decoder.makeCache(sequences, promptLength + steps + 1);
    std::vector<std::int64_t> rows;
    std::vector<std::vector<std::int32_t>> prompt, next;
    for (std::int64_t i = 0; i < sequences; ++i) {
        rows.push_back(i);
        prompt.emplace_back(static_cast<std::size_t>(promptLength), 100);
        next.push_back({200});
    }
    double start = monotonicSeconds();
    need(decoder.extend(*cache, rows, prompt));
    const double prefill = monotonicSeconds() - start;
    need(decoder.extend(*cache, rows, next));
    start = monotonicSeconds();
    for (int i = 1; i < steps; ++i)
        need(decoder.extend(*cache, rows, next));
    const double decode = (monotonicSeconds() - start) / (steps - 1);
    std::printf("generation of %ld: prefill %.0f tokens/s, decode %.1f tokens/s (%.1f ms a step)\n",
                static_cast<long>(sequences), static_cast<double>(sequences * promptLength) / prefill,
                static_cast<double>(sequences) / decode, 1e3 * decode);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    const auto arguments = parse(argc, argv);
    if (arguments.threads > 0)
        at::set_num_threads(arguments.threads);
    DecoderOptions options;
    options.compute_dtype = arguments.bf16 ? at::kBFloat16 : at::kFloat;
    double start = monotonicSeconds();
    const auto source = need(openModel(arguments.model));
    const double opened = monotonicSeconds() - start;
    start = monotonicSeconds();
    const auto decoder = need(Decoder::load(source, options, {}, CancelToken()));
    std::printf("%d threads, opened in %.2f s, quantized in %.2f s, base %s\n", at::get_num_threads(), opened,
                monotonicSeconds() - start, formatBytes(static_cast<double>(decoder->baseBytes())).c_str());
    std::fflush(stdout);
    benchProduct(std::min(arguments.seconds, 2.0));
    const auto wanted = [&](const char* name) { return arguments.part == "all" || arguments.part == name; };
    if (wanted("small"))
        benchTraining(*decoder, arguments, 2, 256, 1.0);
    if (wanted("masked"))
        benchTraining(*decoder, arguments, 2, 256, 0.25);
    if (wanted("large"))
        benchTraining(*decoder, arguments, 4, 512, 1.0);
    if (wanted("short"))
        benchTraining(*decoder, arguments, 16, 32, 1.0);
    if (wanted("generate")) {
        benchGeneration(*decoder, 1, 256, 32);
        benchGeneration(*decoder, 8, 256, 32);
        benchGeneration(*decoder, 16, 256, 32);
    }
}
