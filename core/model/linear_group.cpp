#include "core/model/linear_group.h"

#include "core/kernels/lora.h"
#include "core/kernels/thin_product.h"
#include "core/model/rows.h"

#include <ATen/Functions.h>

namespace anneal {

namespace {

void multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right) {
    at::mm_out(const_cast<at::Tensor&>(out), left, right);
}

} // namespace

Result<LinearGroup> LinearGroup::load(const ModelSource& source, const std::string& prefix,
                                      const std::vector<LinearShape>& shapes, std::int64_t layer,
                                      std::uint32_t moduleIndex, const DecoderOptions& options,
                                      LoraParameters& lora) {
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
            extension_ += part.adapter->rank();
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
            kernels::dequantizeNf4(part.weight->matrix(), rows::data<T>(out) + part.begin * out.stride(0),
                                   out.stride(0));
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
            auto block =
                weight.narrow(0, part.begin, part.size).narrow(1, part.adapter->column, part.adapter->rank());
            at::mul_out(block, part.adapter->b, at::scalar_tensor(pass.scaling, at::kFloat));
        }
    return weight;
}

void LinearGroup::projectDown(const Adapter& adapter, const at::Tensor& x, Pass& pass) const {
    const auto mask = pass.dropout ? pass.dropout->module(adapter.module) : nullptr;
    const auto u = x.narrow(1, adapter.column, adapter.rank());
    rows::byType(pass.dtype, [&]<class T>(T) {
        kernels::loraDown(mask ? &mask->mask : nullptr, rows::data<T>(x), x.stride(0), x.size(0), in_,
                          rows::data<float>(adapter.a), adapter.rank(), rows::data<T>(u), u.stride(0));
    });
}

void LinearGroup::forward(const at::Tensor& x, const at::Tensor& y, Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    const bool extended = pass.adapter && trains();
    if (extended)
        for (const auto& part : parts_)
            if (part.adapter)
                projectDown(*part.adapter, x, pass);
    if (quantized_ && x.size(0) <= kernels::thinRows && in_ % kernels::nf4Block == 0)
        multiplyThin(x, y, pass);
    else
        multiply(y, extended ? x : x.narrow(1, 0, in_), weight(extended, pass).t());
    if (bias_.defined())
        y.add_(bias_);
}

void LinearGroup::multiplyThin(const at::Tensor& x, const at::Tensor& y, Pass& pass) const {
    rows::byType(pass.dtype, [&]<class T>(T) {
        for (const auto& part : parts_) {
            kernels::ThinAdapter<T> thin;
            if (pass.adapter && part.adapter)
                thin = {rows::data<T>(x) + part.adapter->column, x.stride(0), part.adapter->rank(),
                        rows::data<float>(part.adapter->b), static_cast<float>(pass.scaling)};
            kernels::thinProduct(part.weight->matrix(), rows::data<T>(x), x.stride(0), x.size(0), thin,
                                 rows::data<T>(y) + part.begin, y.stride(0));
        }
    });
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

void LinearGroup::adapterBackward(const Part& part, const at::Tensor& dy, const at::Tensor& x,
                                  const at::Tensor& dx, bool wantInput, Pass& pass) const {
    const auto& adapter = *part.adapter;
    const auto mask = pass.dropout ? pass.dropout->module(adapter.module) : nullptr;
    const auto dU = dx.narrow(1, adapter.column, adapter.rank()),
               u = x.narrow(1, adapter.column, adapter.rank());
    const auto dyPart = dy.narrow(1, part.begin, part.size);
    rows::byType(pass.dtype, [&]<class T>(T) {
        kernels::loraOuter(rows::data<T>(dyPart), dyPart.stride(0), dyPart.size(0), part.size,
                           rows::data<T>(u), u.stride(0), adapter.rank(), static_cast<float>(pass.scaling),
                           rows::data<float>(adapter.gradB));
        kernels::loraBackward(mask ? &mask->mask : nullptr, rows::data<T>(x), x.stride(0), x.size(0), in_,
                              rows::data<float>(adapter.a), adapter.rank(), rows::data<T>(dU), dU.stride(0),
                              rows::data<float>(adapter.gradA), wantInput ? rows::data<T>(dx) : nullptr,
                              dx.stride(0));
    });
}

void LinearGroup::backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& dx, bool wantInput,
                           Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    if (wantInput)
        multiply(dx, dy, weight(trains(), pass));
    for (const auto& part : parts_) {
        if (!part.adapter)
            continue;
        if (!wantInput) {
            auto dU = dx.narrow(1, part.adapter->column, part.adapter->rank());
            multiply(dU, dy.narrow(1, part.begin, part.size), part.adapter->b.to(pass.dtype));
            dU.mul_(pass.scaling);
        }
        adapterBackward(part, dy, x, dx, wantInput, pass);
    }
}

} // namespace anneal
