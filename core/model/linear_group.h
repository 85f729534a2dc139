#pragma once
#include "core/model/lora.h"
#include "core/model/pass.h"
#include "core/model/weights.h"

#include <optional>

namespace anneal {

/// Linear layers over one input (q, k, v; gate, up; or a single one) with their LoRA, as one product:
///     y = [x | u] [W | s B]^T   with u = dropout(x) A^T,
/// so that the input matrix has room for the u of every adapter behind its columns, and backward's one
/// product gives the gradient of x and of every u together.
class LinearGroup {
public:
    /// Weights come from `source` at `prefix` + module + ".weight" / ".bias". `lora` may be empty; its
    /// tensors are viewed, not copied. `moduleIndex` numbers the first linear among all of the model.
    static Result<LinearGroup> load(const ModelSource& source, const std::string& prefix,
                                    const std::vector<LinearShape>& shapes, std::int64_t layer,
                                    std::uint32_t moduleIndex, const DecoderOptions& options,
                                    LoraParameters& lora);

    std::int64_t inputs() const { return in_; }
    std::int64_t outputs() const { return out_; }
    bool trains() const { return extension_ > 0; }
    std::int64_t bytes() const;

    /// Uninitialised [tokens, inputs + room for u].
    at::Tensor makeInput(Workspace& workspace, std::int64_t tokens, at::ScalarType type) const;
    /// y [tokens, outputs]; fills the room for u in `x`.
    void forward(const at::Tensor& x, const at::Tensor& y, Pass& pass) const;
    /// The u of the last forward pass, kept in `pass.saved`, and put back.
    at::Tensor keep(const at::Tensor& x, Pass& pass) const;
    void restore(const at::Tensor& kept, const at::Tensor& x) const;
    /// `x` as forward left it. dx [tokens, inputs + room] gets the gradient of x in its first columns, unless
    /// `wantInput` is false. Adds to the gradients of A and B.
    void backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& dx, bool wantInput,
                  Pass& pass) const;

private:
    struct Adapter {
        at::Tensor a, b, gradA, gradB;
        std::int64_t column = 0; ///< of its u, behind the inputs
        std::uint32_t module = 0;
        std::int64_t rank() const { return a.size(0); }
    };
    struct Part {
        std::int64_t begin = 0, size = 0; ///< of its outputs
        std::optional<Nf4Weight> weight;
        std::optional<Adapter> adapter;
    };

    Status loadPart(Part& part, const ModelSource& source, const std::string& name,
                    const DecoderOptions& options);
    void attach(LoraParameters& lora, std::int64_t layer, std::uint32_t moduleIndex,
                const std::vector<LinearShape>& shapes);
    void dequantize(const at::Tensor& out) const;
    at::Tensor weight(bool extended, Pass& pass) const;
    void multiplyThin(const at::Tensor& x, const at::Tensor& y, Pass& pass) const;
    void projectDown(const Adapter& adapter, const at::Tensor& x, Pass& pass) const;
    void adapterBackward(const Part& part, const at::Tensor& dy, const at::Tensor& x, const at::Tensor& dx,
                         bool wantInput, Pass& pass) const;

    std::int64_t in_ = 0, out_ = 0, extension_ = 0;
    std::vector<Part> parts_;
    at::Tensor bias_;  ///< fp32 [outputs], undefined without
    at::Tensor dense_; ///< [outputs, inputs + room], when the weights are not quantized
    bool quantized_ = true;
};

} // namespace anneal
