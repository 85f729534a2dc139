#include "core/model/weights.h"

#include "core/kernels/parallel.h"
#include "core/model/rows.h"

#include <algorithm>
#include <c10/util/Half.h>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

namespace anneal {

namespace {

constexpr std::int64_t pieceElements = 65536;

void roundTo(at::ScalarType stored, std::span<float> values) {
    if (stored == at::kBFloat16)
        return kernels::roundToBf16(values);
    if (stored == at::kHalf)
        for (auto& value : values)
            value = static_cast<float>(c10::Half(value));
}

/// Calls use(first row, rounded rows) for pieces of a tensor from several threads; `unit` rows stay together.
template <class Use>
Status forPieces(const TensorView& tensor, at::ScalarType stored, std::int64_t unit, const Use& use) {
    const std::int64_t columns = tensor.rowLength(), rows = tensor.rows();
    const std::int64_t piece =
        unit * std::max<std::int64_t>(1, pieceElements / std::max<std::int64_t>(1, unit * columns));
    std::mutex mutex;
    std::optional<Error> error;
    kernels::parallelTasks((rows + piece - 1) / piece, [&](std::int64_t index, std::int64_t) {
        const std::int64_t first = index * piece, count = std::min(piece, rows - first);
        static thread_local std::vector<float> values;
        values.resize(static_cast<std::size_t>(count * columns));
        auto status = readRows(tensor, first, count, values);
        if (status.ok()) {
            roundTo(stored, values);
            status = use(first, std::span<const float>(values));
        }
        if (!status.ok()) {
            const std::lock_guard lock(mutex);
            error = std::move(status).error();
        }
    });
    return error ? Status(*error) : Status();
}

Error notFinite(const TensorView& tensor) {
    return invalidInput("The weights of " + tensor.name + " hold values that are not finite.",
                        "The model file is damaged: download it again.");
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (const auto size : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + "]";
}

} // namespace

Result<at::ScalarType> storedType(const ModelConfig& config) {
    if (config.dtype == "bfloat16")
        return at::kBFloat16;
    if (config.dtype == "float16")
        return at::kHalf;
    if (config.dtype == "float32" || config.dtype == "auto")
        return at::kFloat;
    return invalidInput("The model stores its weights as '" + config.dtype + "', which is not known.",
                        "Use a model stored as bfloat16, float16 or float32.");
}

Result<Nf4Weight> Nf4Weight::quantize(const TensorView& tensor, at::ScalarType stored, bool doubleQuant) {
    Nf4Weight weight;
    weight.rows_ = tensor.rows();
    weight.columns_ = tensor.rowLength();
    const std::int64_t count = weight.rows_ * weight.columns_;
    weight.codes_.resize(static_cast<std::size_t>((count + 1) / 2));
    weight.absmax_.resize(static_cast<std::size_t>((count + kernels::nf4Block - 1) / kernels::nf4Block));
    const std::int64_t unit = kernels::nf4Block / std::gcd(weight.columns_, kernels::nf4Block);
    ANNEAL_CHECK(
        forPieces(tensor, stored, unit, [&](std::int64_t row, std::span<const float> values) -> Status {
            const std::int64_t first = row * weight.columns_;
            if (!kernels::quantizeNf4(values, weight.codes_.data() + first / 2,
                                      weight.absmax_.data() + first / kernels::nf4Block))
                return notFinite(tensor);
            return {};
        }));
    if (doubleQuant) {
        weight.nested_ = kernels::quantizeScales(weight.absmax_);
        weight.absmax_ = {};
    }
    return weight;
}

kernels::Nf4Matrix Nf4Weight::matrix() const {
    return {rows_, columns_, codes_, absmax_, nested_.codes, nested_.absmax, nested_.offset};
}

std::int64_t Nf4Weight::bytes() const {
    return static_cast<std::int64_t>(codes_.size() + nested_.codes.size() +
                                     4 * (absmax_.size() + nested_.absmax.size()));
}

Status readDense(const TensorView& tensor, at::ScalarType stored, const at::Tensor& out) {
    return forPieces(tensor, stored, 1, [&](std::int64_t row, std::span<const float> values) -> Status {
        const std::int64_t columns = tensor.rowLength(),
                           count = static_cast<std::int64_t>(values.size()) / columns;
        if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
            return notFinite(tensor);
        rows::byType(out.scalar_type(), [&]<class T>(T) {
            kernels::copyRows(values.data(), columns, count, columns,
                              rows::data<T>(out) + row * out.stride(0), out.stride(0));
        });
        return {};
    });
}

Result<const TensorView*> findTensor(const ModelSource& source, const std::string& name,
                                     const std::vector<std::int64_t>& shape) {
    const auto* tensor = source.find(name);
    if (!tensor)
        return invalidInput(source.path().string() + " has no tensor " + name + ".",
                            "The model is incomplete, or its configuration belongs to another one.");
    if (tensor->shape != shape)
        return invalidInput("Tensor " + name + " of " + source.path().string() + " has shape " +
                                shapeText(tensor->shape) + " where the configuration says " +
                                shapeText(shape) + ".",
                            "Use the config.json that belongs to these weights.");
    return tensor;
}

} // namespace anneal
