#include "core/model/decoder_impl.h"

#include <ATen/Functions.h>
#include <algorithm>

namespace anneal {

namespace {

/// The new tokens of each sequence as documents whose positions go on behind what the cache holds.
TokenBatch extensionBatch(const KvCache& cache, const std::vector<std::int64_t>& rows,
                          const std::vector<std::vector<std::int32_t>>& ids) {
    std::vector<std::int64_t> tokens, positions;
    TokenBatch batch;
    batch.cu_seqlens.push_back(0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::int64_t position = cache.lengths[static_cast<std::size_t>(rows[i])];
        for (const auto id : ids[i]) {
            tokens.push_back(id);
            positions.push_back(position++);
        }
        batch.cu_seqlens.push_back(static_cast<std::int64_t>(tokens.size()));
    }
    batch.input_ids = at::tensor(tokens, at::kLong);
    batch.positions = at::tensor(positions, at::kLong);
    return batch;
}

} // namespace

Pass Decoder::Impl::makePass(const DropoutPlan* dropout) {
    return {saved, scratch, dtype, lora.scaling(), adapterEnabled && !lora.empty(), dropout};
}

at::Tensor Decoder::Impl::hiddenStates(const TokenBatch& batch, Pass& pass) {
    const std::int64_t tokens = batch.input_ids.size(0);
    rope.ensure(batch.positions.max().item<std::int64_t>() + 1);
    auto hidden = saved.take({tokens, config.hidden_size}, at::kFloat);
    auto next = saved.take({tokens, config.hidden_size}, at::kFloat);
    head.embed(batch.input_ids, hidden);
    for (const auto& layer : layers) {
        const Workspace::Scope scope(saved);
        LayerActivations kept;
        layer.forward(hidden, next, batch, rope, kept, pass);
        std::swap(hidden, next);
    }
    return hidden;
}

at::Tensor Decoder::Impl::forwardKeeping(const TokenBatch& batch, std::vector<LayerActivations>& kept,
                                         Pass& pass) {
    const std::int64_t tokens = batch.input_ids.size(0);
    rope.ensure(batch.positions.max().item<std::int64_t>() + 1);
    auto hidden = saved.take({tokens, config.hidden_size}, at::kFloat);
    head.embed(batch.input_ids, hidden);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto out = saved.take({tokens, config.hidden_size}, at::kFloat);
        if (checkpointing) {
            const Workspace::Scope scope(saved);
            layers[i].forward(hidden, out, batch, rope, kept[i], pass);
            kept[i] = {};
            kept[i].input = hidden;
        } else {
            layers[i].forward(hidden, out, batch, rope, kept[i], pass);
        }
        hidden = out;
    }
    return hidden;
}

void Decoder::Impl::backward(std::vector<LayerActivations>& kept, const at::Tensor& dh,
                             const TokenBatch& batch, Pass& pass) {
    for (std::size_t i = layers.size(); i-- > 0;) {
        const Workspace::Scope scope(saved);
        if (checkpointing) {
            const auto input = kept[i].input;
            const auto out = saved.take(input.sizes(), at::kFloat);
            layers[i].forward(input, out, batch, rope, kept[i], pass);
        }
        layers[i].backward(kept[i], dh, batch, rope, i > 0, pass);
    }
}

LossSum Decoder::Impl::forwardBackward(const TokenBatch& batch, double gradScale, const DropoutKey& key) {
    const Workspace::Scope scope(saved);
    const DropoutPlan plan(batch, key, lora.dropout());
    auto pass = makePass(lora.dropout() > 0 ? &plan : nullptr);
    pass.adapter = !lora.empty();
    std::vector<LayerActivations> kept(layers.size());
    const auto hidden = forwardKeeping(batch, kept, pass);
    const auto dh = saved.take(hidden.sizes(), at::kFloat);
    const auto sum = head.loss(hidden, batch.labels, &gradScale, dh, pass);
    if (sum.tokens > 0 && pass.adapter)
        backward(kept, dh, batch, pass);
    return sum;
}

LossSum Decoder::Impl::evaluate(const TokenBatch& batch) {
    const Workspace::Scope scope(saved);
    auto pass = makePass(nullptr);
    const auto hidden = hiddenStates(batch, pass);
    return head.loss(hidden, batch.labels, nullptr, {}, pass);
}

at::Tensor Decoder::Impl::logits(const TokenBatch& batch) {
    const Workspace::Scope scope(saved);
    auto pass = makePass(nullptr);
    return head.logits(hiddenStates(batch, pass), pass);
}

at::Tensor Decoder::Impl::extend(KvCache& cache, const std::vector<std::int64_t>& rows,
                                 const std::vector<std::vector<std::int32_t>>& ids) {
    const Workspace::Scope scope(saved);
    auto pass = makePass(nullptr);
    const auto batch = extensionBatch(cache, rows, ids);
    const std::int64_t tokens = batch.input_ids.size(0);
    rope.ensure(batch.positions.max().item<std::int64_t>() + 1);
    CacheSlots slots{rows, {}};
    for (const auto row : rows)
        slots.lengths.push_back(cache.lengths[static_cast<std::size_t>(row)]);
    auto hidden = saved.take({tokens, config.hidden_size}, at::kFloat);
    auto next = saved.take({tokens, config.hidden_size}, at::kFloat);
    head.embed(batch.input_ids, hidden);
    const auto kvColumns = AttentionShape::of(config).kvColumns();
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Workspace::Scope inner(saved);
        auto& [keys, values] = cache.layers[i];
        if (!keys.defined())
            for (auto* made : {&keys, &values})
                *made =
                    at::empty({static_cast<std::int64_t>(cache.lengths.size()), cache.maxTokens, kvColumns},
                              at::kFloat);
        LayerCache layerCache{keys, values};
        layers[i].extend(hidden, next, batch, rope, layerCache, slots, pass);
        std::swap(hidden, next);
    }
    std::vector<std::int64_t> last;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        cache.lengths[static_cast<std::size_t>(rows[i])] += static_cast<std::int64_t>(ids[i].size());
        last.push_back(batch.cu_seqlens[i + 1] - 1);
    }
    return head.logits(hidden.index_select(0, at::tensor(last, at::kLong)), pass);
}

} // namespace anneal
