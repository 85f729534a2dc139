#include "core/model/layer.h"

#include "core/model/rows.h"

#include <ATen/Functions.h>
#include <cstring>

namespace anneal {

namespace {

Result<at::Tensor> loadNorm(const ModelSource& source, const std::string& name) {
    const auto hidden = source.config().hidden_size;
    ANNEAL_TRY(const auto stored, storedType(source.config()));
    ANNEAL_TRY(const auto* tensor, findTensor(source, name, {hidden}));
    auto norm = at::empty({1, hidden}, at::kFloat);
    ANNEAL_CHECK(readDense(*tensor, stored, norm));
    return norm.squeeze(0);
}

/// `x` itself when it has the type already, else a copy in scratch.
at::Tensor inType(const at::Tensor& x, at::ScalarType type, Workspace& scratch) {
    if (x.scalar_type() == type)
        return x;
    auto copy = scratch.take(x.sizes(), type);
    rows::copy(x, copy);
    return copy;
}

void addInto(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
    at::add_out(const_cast<at::Tensor&>(out), a, b);
}

} // namespace

Result<DecoderLayer> DecoderLayer::load(const ModelSource& source, std::int64_t index,
                                        const DecoderOptions& options, LoraParameters& lora) {
    DecoderLayer layer;
    const auto& config = source.config();
    const auto prefix = "model.layers." + std::to_string(index) + ".";
    const auto shapes = linearShapes(config);
    layer.shape_ = AttentionShape::of(config);
    layer.eps_ = config.rms_norm_eps;
    ANNEAL_TRY(layer.norm1_, loadNorm(source, prefix + "input_layernorm.weight"));
    ANNEAL_TRY(layer.norm2_, loadNorm(source, prefix + "post_attention_layernorm.weight"));
    const auto group = [&](std::size_t first, std::size_t count) {
        const std::vector<LinearShape> part(shapes.begin() + static_cast<std::ptrdiff_t>(first),
                                            shapes.begin() + static_cast<std::ptrdiff_t>(first + count));
        const auto module =
            static_cast<std::uint32_t>(static_cast<std::size_t>(index) * shapes.size() + first);
        return LinearGroup::load(source, prefix, part, index, module, options, lora);
    };
    ANNEAL_TRY(layer.qkv_, group(0, 3));
    ANNEAL_TRY(layer.o_, group(3, 1));
    ANNEAL_TRY(layer.gateUp_, group(4, 2));
    ANNEAL_TRY(layer.down_, group(6, 1));
    return layer;
}

void DecoderLayer::projectQkv(const at::Tensor& input, const TokenBatch& batch, const RopeTable& rope,
                              LayerActivations& kept, Pass& pass) const {
    const std::int64_t tokens = input.size(0);
    kept.input = input;
    kept.rstd1 = pass.saved.take({tokens}, at::kFloat);
    kept.qkv = pass.saved.take({tokens, shape_.columns()}, at::kFloat);
    const Workspace::Scope scope(pass.scratch);
    const auto x = qkv_.makeInput(pass.scratch, tokens, pass.dtype);
    rows::rmsNorm(input, norm1_, eps_, x, kept.rstd1);
    const bool direct = pass.dtype == at::kFloat;
    const auto product = direct ? kept.qkv : pass.scratch.take({tokens, shape_.columns()}, pass.dtype);
    qkv_.forward(x, product, pass);
    if (!direct)
        rows::copy(product, kept.qkv);
    kept.uQkv = qkv_.keep(x, pass);
    rope.apply(kept.qkv, shape_.heads + shape_.kvHeads, batch.positions, 1);
}

void DecoderLayer::attend(const std::vector<AttentionSpan>& spans, LayerActivations& kept, bool keepSums,
                          Pass& pass) const {
    const std::int64_t tokens = kept.qkv.size(0);
    kept.logSumExp = keepSums ? pass.saved.take({shape_.heads, tokens}, at::kFloat) : at::Tensor();
    kept.attention = o_.makeInput(pass.saved, tokens, pass.dtype);
    const auto columns = kept.attention.narrow(1, 0, shape_.queryColumns());
    const Workspace::Scope scope(pass.scratch);
    const bool direct = pass.dtype == at::kFloat;
    const auto out = direct ? columns : pass.scratch.take({tokens, shape_.queryColumns()}, at::kFloat);
    attentionForward(shape_, spans, kept.qkv, out, kept.logSumExp);
    if (!direct)
        rows::copy(out, columns);
}

void DecoderLayer::projectOut(LayerActivations& kept, Pass& pass) const {
    kept.middle = pass.saved.take(kept.input.sizes(), at::kFloat);
    const Workspace::Scope scope(pass.scratch);
    const auto product = pass.scratch.take(kept.input.sizes(), pass.dtype);
    o_.forward(kept.attention, product, pass);
    addInto(kept.middle, kept.input, product);
}

void DecoderLayer::mlp(const at::Tensor& out, LayerActivations& kept, Pass& pass) const {
    const std::int64_t tokens = kept.middle.size(0);
    kept.rstd2 = pass.saved.take({tokens}, at::kFloat);
    kept.gateUp = pass.saved.take({tokens, gateUp_.outputs()}, pass.dtype);
    const Workspace::Scope scope(pass.scratch);
    const auto x = gateUp_.makeInput(pass.scratch, tokens, pass.dtype);
    rows::rmsNorm(kept.middle, norm2_, eps_, x, kept.rstd2);
    gateUp_.forward(x, kept.gateUp, pass);
    kept.uGateUp = gateUp_.keep(x, pass);
    const auto active = down_.makeInput(pass.scratch, tokens, pass.dtype);
    rows::swiglu(kept.gateUp, active);
    const auto product = pass.scratch.take(out.sizes(), pass.dtype);
    down_.forward(active, product, pass);
    kept.uDown = down_.keep(active, pass);
    addInto(out, kept.middle, product);
}

void DecoderLayer::forward(const at::Tensor& input, const at::Tensor& out, const TokenBatch& batch,
                           const RopeTable& rope, LayerActivations& kept, Pass& pass) const {
    projectQkv(input, batch, rope, kept, pass);
    attend(documentSpans(shape_, kept.qkv, batch.cu_seqlens), kept, true, pass);
    projectOut(kept, pass);
    mlp(out, kept, pass);
}

void DecoderLayer::extend(const at::Tensor& input, const at::Tensor& out, const TokenBatch& batch,
                          const RopeTable& rope, LayerCache& cache, const CacheSlots& slots,
                          Pass& pass) const {
    LayerActivations kept;
    projectQkv(input, batch, rope, kept, pass);
    std::vector<AttentionSpan> spans;
    for (std::size_t i = 0; i < slots.sequences.size(); ++i) {
        const std::int64_t first = batch.cu_seqlens[i], count = batch.cu_seqlens[i + 1] - first;
        const auto keys = cache.keys[slots.sequences[i]], values = cache.values[slots.sequences[i]];
        const auto fresh = kept.qkv.narrow(0, first, count);
        rows::copy(fresh.narrow(1, shape_.queryColumns(), shape_.kvColumns()),
                   keys.narrow(0, slots.lengths[i], count));
        rows::copy(fresh.narrow(1, shape_.queryColumns() + shape_.kvColumns(), shape_.kvColumns()),
                   values.narrow(0, slots.lengths[i], count));
        spans.push_back({first, count, rows::data<float>(keys), rows::data<float>(values), shape_.kvColumns(),
                         slots.lengths[i] + count});
    }
    attend(spans, kept, false, pass);
    projectOut(kept, pass);
    mlp(out, kept, pass);
}

void DecoderLayer::mlpBackward(LayerActivations& kept, const at::Tensor& dh, Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    const std::int64_t tokens = dh.size(0);
    const auto dActive = down_.makeInput(pass.scratch, tokens, pass.dtype);
    {
        const Workspace::Scope inner(pass.scratch);
        const auto active = down_.makeInput(pass.scratch, tokens, pass.dtype);
        rows::swiglu(kept.gateUp, active);
        down_.restore(kept.uDown, active);
        down_.backward(inType(dh, pass.dtype, pass.scratch), active, dActive, true, pass);
    }
    rows::swigluBackward(dActive, kept.gateUp);
    const auto x = gateUp_.makeInput(pass.scratch, tokens, pass.dtype);
    const auto dx = gateUp_.makeInput(pass.scratch, tokens, pass.dtype);
    rows::rmsNormRepeat(kept.middle, norm2_, kept.rstd2, x);
    gateUp_.restore(kept.uGateUp, x);
    gateUp_.backward(kept.gateUp, x, dx, true, pass);
    rows::rmsNormBackward(dx, kept.middle, norm2_, kept.rstd2, dh);
}

void DecoderLayer::attentionHalfBackward(LayerActivations& kept, const at::Tensor& dh,
                                         const TokenBatch& batch, const RopeTable& rope, bool wantInput,
                                         Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    const std::int64_t tokens = dh.size(0);
    const auto dAttention = o_.makeInput(pass.scratch, tokens, pass.dtype);
    o_.backward(inType(dh, pass.dtype, pass.scratch), kept.attention, dAttention, true, pass);
    const auto dqkv = pass.scratch.take(kept.qkv.sizes(), at::kFloat);
    attentionBackward(shape_, documentSpans(shape_, kept.qkv, batch.cu_seqlens), kept.qkv,
                      inType(kept.attention.narrow(1, 0, shape_.queryColumns()), at::kFloat, pass.scratch),
                      kept.logSumExp,
                      inType(dAttention.narrow(1, 0, shape_.queryColumns()), at::kFloat, pass.scratch), dqkv);
    rope.apply(dqkv, shape_.heads + shape_.kvHeads, batch.positions, -1);
    const auto x = qkv_.makeInput(pass.scratch, tokens, pass.dtype);
    const auto dx = qkv_.makeInput(pass.scratch, tokens, pass.dtype);
    rows::rmsNormRepeat(kept.input, norm1_, kept.rstd1, x);
    qkv_.restore(kept.uQkv, x);
    qkv_.backward(inType(dqkv, pass.dtype, pass.scratch), x, dx, wantInput, pass);
    if (wantInput)
        rows::rmsNormBackward(dx, kept.input, norm1_, kept.rstd1, dh);
}

void DecoderLayer::backward(LayerActivations& kept, const at::Tensor& dh, const TokenBatch& batch,
                            const RopeTable& rope, bool wantInput, Pass& pass) const {
    mlpBackward(kept, dh, pass);
    attentionHalfBackward(kept, dh, batch, rope, wantInput, pass);
}

std::int64_t DecoderLayer::bytes() const {
    return qkv_.bytes() + o_.bytes() + gateUp_.bytes() + down_.bytes() +
           static_cast<std::int64_t>(norm1_.nbytes() + norm2_.nbytes());
}

} // namespace anneal
