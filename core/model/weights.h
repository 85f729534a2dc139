#pragma once
#include "core/kernels/nf4.h"
#include "core/modelfile/model_source.h"

#include <ATen/core/Tensor.h>
#include <vector>

namespace anneal {

/// The type in which a checkpoint holds its weights: they are rounded to it before anything else.
Result<at::ScalarType> storedType(const ModelConfig& config);

/// A frozen matrix in NF4.
class Nf4Weight {
public:
    /// Reads, rounds and quantizes the tensor in pieces over all threads.
    static Result<Nf4Weight> quantize(const TensorView& tensor, at::ScalarType stored, bool doubleQuant);

    kernels::Nf4Matrix matrix() const;
    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    std::int64_t bytes() const;

private:
    std::int64_t rows_ = 0, columns_ = 0;
    std::vector<std::uint8_t> codes_;
    std::vector<float> absmax_;
    kernels::NestedScales nested_;
};

/// The tensor's rows, rounded to `stored`, into `out` [rows, columns] (fp32 or bf16, rows contiguous).
Status readDense(const TensorView& tensor, at::ScalarType stored, const at::Tensor& out);

/// The tensor of that name with exactly this shape, or InvalidInput.
Result<const TensorView*> findTensor(const ModelSource& source, const std::string& name,
                                     const std::vector<std::int64_t>& shape);

} // namespace anneal
