#include "core/model/linear_group.h"

#include "core/model/rows.h"

#include <ATen/Functions.h>

namespace anneal {

namespace {

/// into += left right, where the sum is kept in fp32.
void accumulate(const at::Tensor& into, const at::Tensor& left, const at::Tensor& right, double factor) {
    if (left.scalar_type() == at::kFloat)
        at::addmm_out(const_cast<at::Tensor&>(into), into, left, right, 1, factor);
    else
        into.add_(at::mm(left, right), factor);
}

void multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right) {
    at::mm_out(const_cast<at::Tensor&>(out), left, right);
}

} // namespace

Result<LinearGroup> LinearGroup::load(const ModelSource& source, const std::string& prefix,
                                      const std::vector<LinearShape>& shapes, std::int64_t layer, std::uint32_t moduleIndex,
                                      const DecoderOptions& options, LoraParameters& lora) {
    LinearGroup group;
    group.in_ = shapes.front().in_features;
    group.quantized_ = options.quantization.type == "nf4";
    for (const auto& shape : shapes)
        group.out_ += shape.out_features;
    group.parts_.resize(shapes.size());
    group.attach(lora, layer, moduleIndex, shapes);
    if (!group.quantized_)
        group.dense_ = at::empty({group.out_, group.in_ + group.extension_}, options.compute_dtype);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        group.parts_[i].begin = begin;
        group.parts_[i].size = shapes[i].out_features;
        ANNEAL_CHECK(group.loadPart(group.parts_[i], source, prefix + shapes[i].module, options));
        begin += shapes[i].out_features;
    }
    return group;
}

Status LinearGroup::loadPart(Part& part, const ModelSource& source, const std::string& name,
                             const DecoderOptions& options) {
    ANNEAL_TRY(const auto stored, storedType(source.config()));
    ANNEAL_TRY(const auto* tensor, findTensor(source, name + ".weight", {part.size, in_}));
    if (quantized_) {
        ANNEAL_TRY(part.weight, Nf4Weight::quantize(*tensor, stored, options.quantization.double_quant));
    } else {
        ANNEAL_CHECK(readDense(*tensor, stored, dense_.narrow(0, part.begin, part.size).narrow(1, 0, in_)));
    }
    if (!source.find(name + ".bias"))
        return {};
    ANNEAL_TRY(const auto* bias, findTensor(source, name + ".bias", {part.size}));
    if (!bias_.defined())
        bias_ = at::zeros({out_}, at::kFloat);
    return readDense(*bias, stored, bias_.narrow(0, part.begin, part.size).unsqueeze(0));
}

void LinearGroup::attach(LoraParameters& lora, std::int64_t layer, std::uint32_t moduleIndex,
                         const std::vector<LinearShape>& shapes) {
    for (const auto& entry : lora.entries()) {
        if (entry.layer != layer)
            continue;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (shapes[i].module != entry.module)
                continue;
            auto& adapter = parts_[i].adapter;
            if (!adapter)
                adapter.emplace();
            (entry.is_b ? adapter->b : adapter->a) = lora.value(entry);
            (entry.is_b ? adapter->gradB : adapter->gradA) = lora.grad(entry);
            adapter->module = moduleIndex + static_cast<std::uint32_t>(i);
        }
    }
    for (auto& part : parts_)
        if (part.adapter) {
            part.adapter->column = in_ + extension_;
            extension_ += part.adapter->a.size(0);
        }
}

std::int64_t LinearGroup::bytes() const {
    std::int64_t total = quantized_ ? 0 : static_cast<std::int64_t>(dense_.nbytes());
    for (const auto& part : parts_)
        total += part.weight ? part.weight->bytes() : 0;
    return total + (bias_.defined() ? static_cast<std::int64_t>(bias_.nbytes()) : 0);
}

at::Tensor LinearGroup::makeInput(Workspace& workspace, std::int64_t tokens, at::ScalarType type) const {
    return workspace.take({tokens, in_ + extension_}, type);
}

void LinearGroup::dequantize(const at::Tensor& out) const {
    rows::byType(out.scalar_type(), [&]<class T>(T) {
        for (const auto& part : parts_)
            kernels::dequantizeNf4(part.weight->matrix(), rows::data<T>(out) + part.begin * out.stride(0), out.stride(0));
    });
}

at::Tensor LinearGroup::weight(bool extended, Pass& pass) const {
    auto weight = dense_;
    if (!weight.defined()) {
        weight = pass.scratch.take({out_, in_ + extension_}, pass.dtype);
        dequantize(weight);
    }
    if (!extended)
        return weight.narrow(1, 0, in_);
    weight.narrow(1, in_, extension_).zero_();
    for (const auto& part : parts_)
        if (part.adapter) {
            auto block = weight.narrow(0, part.begin, part.size).narrow(1, part.adapter->column, part.adapter->b.size(1));
            at::mul_out(block, part.adapter->b, at::scalar_tensor(pass.scaling, at::kFloat));
        }
    return weight;
}

void LinearGroup::projectDown(const Adapter& adapter, const at::Tensor& x, Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    auto input = x.narrow(1, 0, in_);
    if (pass.dropout) {
        const auto dropped = pass.scratch.take({x.size(0), in_}, pass.dtype);
        rows::dropout(pass.dropout->module(adapter.module)->mask, input, dropped);
        input = dropped;
    }
    multiply(x.narrow(1, adapter.column, adapter.a.size(0)), input, adapter.a.to(pass.dtype).t());
}

void LinearGroup::forward(const at::Tensor& x, const at::Tensor& y, Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    const bool extended = pass.adapter && trains();
    if (extended)
        for (const auto& part : parts_)
            if (part.adapter)
                projectDown(*part.adapter, x, pass);
    multiply(y, extended ? x : x.narrow(1, 0, in_), weight(extended, pass).t());
    if (bias_.defined())
        y.add_(bias_);
}

at::Tensor LinearGroup::keep(const at::Tensor& x, Pass& pass) const {
    auto kept = pass.saved.take({x.size(0), extension_}, pass.dtype);
    if (extension_ > 0)
        rows::copy(x.narrow(1, in_, extension_), kept);
    return kept;
}

void LinearGroup::restore(const at::Tensor& kept, const at::Tensor& x) const {
    if (extension_ > 0)
        rows::copy(kept, x.narrow(1, in_, extension_));
}

void LinearGroup::adapterBackward(const Part& part, const at::Tensor& dy, const at::Tensor& x, const at::Tensor& dx,
                                  bool wantInput, Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    const auto& adapter = *part.adapter;
    const std::int64_t rank = adapter.a.size(0);
    const auto dU = dx.narrow(1, adapter.column, rank), u = x.narrow(1, adapter.column, rank);
    accumulate(adapter.gradB, dy.narrow(1, part.begin, part.size).t(), u, pass.scaling);
    auto input = x.narrow(1, 0, in_);
    const auto a = adapter.a.to(pass.dtype);
    const auto through = pass.scratch.take({x.size(0), in_}, pass.dtype);
    if (!pass.dropout) {
        accumulate(adapter.gradA, dU.t(), input, 1);
        if (wantInput)
            dx.narrow(1, 0, in_).addmm_(dU, a);
        return;
    }
    const auto mask = pass.dropout->module(adapter.module);
    rows::dropout(mask->mask, input, through);
    accumulate(adapter.gradA, dU.t(), through, 1);
    if (wantInput) {
        multiply(through, dU, a);
        rows::dropoutBackward(mask->mask, through, dx.narrow(1, 0, in_));
    }
}

void LinearGroup::backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& dx, bool wantInput,
                           Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    if (wantInput || trains())
        multiply(dx, dy, weight(trains(), pass));
    for (const auto& part : parts_)
        if (part.adapter)
            adapterBackward(part, dy, x, dx, wantInput, pass);
}

void LinearGroup::makeDense(at::ScalarType type) {
    if (dense_.defined())
        return;
    dense_ = at::empty({out_, in_ + extension_}, type);
    dequantize(dense_);
}

void LinearGroup::dropDense() {
    if (quantized_)
        dense_ = at::Tensor();
}

std::int64_t LinearGroup::denseBytes(at::ScalarType type) const {
    return out_ * (in_ + extension_) * static_cast<std::int64_t>(c10::elementSize(type));
}

} // namespace anneal
