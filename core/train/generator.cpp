#include "core/train/generator.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace anneal {

namespace {

/// Softmax of logits / temperature over the smallest set of ids whose share reaches top_p; draws by
/// `uniform`.
std::int32_t sample(std::span<const float> logits, double temperature, double topP, double uniform) {
    std::vector<std::int32_t> ids(logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::sort(ids.begin(), ids.end(), [&](std::int32_t a, std::int32_t b) {
        return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
    });
    const double highest = logits[static_cast<std::size_t>(ids.front())];
    std::vector<double> weights(ids.size());
    double total = 0;
    for (std::size_t i = 0; i < ids.size(); ++i)
        total += weights[i] = std::exp((logits[static_cast<std::size_t>(ids[i])] - highest) / temperature);
    double kept = 0;
    std::size_t count = 0;
    while (count < ids.size() && kept < topP * total)
        kept += weights[count++];
    double target = uniform * kept;
    for (std::size_t i = 0; i < count; ++i)
        if ((target -= weights[i]) < 0)
            return ids[i];
    return ids[count == 0 ? 0 : count - 1];
}

} // namespace

Generator::Generator(Decoder& decoder, GenerationSettings settings)
    : decoder_(decoder), settings_(std::move(settings)) {}

std::int32_t Generator::choose(const at::Tensor& logits, std::size_t prompt, std::size_t position) const {
    const std::span values(logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel()));
    if (settings_.temperature <= 0)
        return static_cast<std::int32_t>(std::max_element(values.begin(), values.end()) - values.begin());
    const double uniform = randomUniform(randomKey(settings_.seed, RandomUse::Sampling), position, prompt);
    return sample(values, settings_.temperature, settings_.top_p, uniform);
}

Result<std::vector<Completion>> Generator::generate(const std::vector<std::vector<std::int32_t>>& prompts,
                                                    const CancelToken& cancel, const OnToken& onToken) {
    std::vector<Completion> completions(prompts.size());
    std::size_t longest = 0;
    for (const auto& prompt : prompts)
        longest = std::max(longest, prompt.size());
    const auto cache = decoder_.makeCache(static_cast<std::int64_t>(prompts.size()),
                                          static_cast<std::int64_t>(longest) + settings_.max_new_tokens);
    std::vector<std::int64_t> active(prompts.size());
    std::iota(active.begin(), active.end(), 0);
    auto fed = prompts;
    while (!active.empty()) {
        if (cancel.cancelled())
            return Error{"The generation was stopped.", "", ErrorKind::Stopped};
        ANNEAL_TRY(const auto logits, decoder_.extend(*cache, active, fed));
        std::vector<std::int64_t> still;
        std::vector<std::vector<std::int32_t>> next;
        for (std::size_t i = 0; i < active.size(); ++i) {
            const auto prompt = static_cast<std::size_t>(active[i]);
            auto& completion = completions[prompt];
            const auto id = choose(logits[static_cast<std::int64_t>(i)], prompt, completion.ids.size());
            completion.stopped = std::ranges::find(settings_.stop_ids, id) != settings_.stop_ids.end();
            if (completion.stopped)
                continue;
            completion.ids.push_back(id);
            const bool goesOn = !onToken || onToken(prompt, id);
            if (goesOn && static_cast<std::int64_t>(completion.ids.size()) < settings_.max_new_tokens) {
                still.push_back(active[i]);
                next.push_back({id});
            }
        }
        active = std::move(still);
        fed = std::move(next);
    }
    return completions;
}

std::vector<std::int32_t> stopTokens(const Tokenizer& tokenizer, const ModelConfig& config) {
    std::vector<std::int32_t> ids;
    for (const auto id : config.eos_token_ids)
        ids.push_back(static_cast<std::int32_t>(id));
    if (tokenizer.eosId() >= 0 && std::ranges::find(ids, tokenizer.eosId()) == ids.end())
        ids.push_back(tokenizer.eosId());
    return ids;
}

} // namespace anneal
