#include "core/model/head.h"

#include "core/kernels/parallel.h"
#include "core/model/rows.h"

#include <ATen/Functions.h>
#include <algorithm>

namespace anneal {

namespace {

/// Logits of a chunk take about this much.
constexpr std::int64_t chunkBytes = std::int64_t{64} << 20;

Result<at::Tensor> loadMatrix(const ModelSource& source, const std::string& name, std::int64_t rows,
                              std::int64_t columns, at::ScalarType type) {
    ANNEAL_TRY(const auto stored, storedType(source.config()));
    ANNEAL_TRY(const auto* tensor, findTensor(source, name, {rows, columns}));
    auto matrix = at::empty({rows, columns}, type);
    ANNEAL_CHECK(readDense(*tensor, stored, matrix));
    return matrix;
}

std::vector<std::int64_t> supervisedPositions(const at::Tensor& labels) {
    std::vector<std::int64_t> positions;
    const auto* values = labels.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < labels.size(0); ++i)
        if (values[i] >= 0)
            positions.push_back(i);
    return positions;
}

/// to[i] = from[indices[i]] for rows of fp32.
void gatherRows(const at::Tensor& from, const std::vector<std::int64_t>& indices, const at::Tensor& to) {
    const std::int64_t columns = from.size(1);
    kernels::parallelFor(
        0, static_cast<std::int64_t>(indices.size()), 64, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                std::copy_n(rows::data<float>(from) + indices[static_cast<std::size_t>(i)] * columns, columns,
                            rows::data<float>(to) + i * columns);
        });
}

void scatterRows(const at::Tensor& from, const std::vector<std::int64_t>& indices, const at::Tensor& to) {
    const std::int64_t columns = from.size(1);
    to.zero_();
    kernels::parallelFor(
        0, static_cast<std::int64_t>(indices.size()), 64, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                std::copy_n(rows::data<float>(from) + i * columns, columns,
                            rows::data<float>(to) + indices[static_cast<std::size_t>(i)] * columns);
        });
}

} // namespace

Result<EmbeddingAndHead> EmbeddingAndHead::load(const ModelSource& source, at::ScalarType type) {
    const auto& config = source.config();
    EmbeddingAndHead made;
    made.eps_ = config.rms_norm_eps;
    ANNEAL_TRY(made.embedding_,
               loadMatrix(source, "model.embed_tokens.weight", config.vocab_size, config.hidden_size, type));
    if (config.tie_word_embeddings) {
        made.head_ = made.embedding_;
    } else {
        ANNEAL_TRY(made.head_,
                   loadMatrix(source, "lm_head.weight", config.vocab_size, config.hidden_size, type));
    }
    ANNEAL_TRY(const auto stored, storedType(config));
    ANNEAL_TRY(const auto* norm, findTensor(source, "model.norm.weight", {config.hidden_size}));
    made.norm_ = at::empty({config.hidden_size}, at::kFloat);
    ANNEAL_CHECK(readDense(*norm, stored, made.norm_.unsqueeze(0)));
    return made;
}

void EmbeddingAndHead::embed(const at::Tensor& ids, const at::Tensor& out) const {
    const auto* wanted = ids.const_data_ptr<std::int64_t>();
    const std::int64_t columns = out.size(1);
    rows::byType(embedding_.scalar_type(), [&]<class T>(T) {
        kernels::parallelFor(0, ids.size(0), 64, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                kernels::copyRows(rows::data<T>(embedding_) + wanted[i] * columns, columns, 1, columns,
                                  rows::data<float>(out) + i * columns, columns);
        });
    });
}

double EmbeddingAndHead::chunkLoss(const at::Tensor& normed, const at::Tensor& labels, const float* gradScale,
                                   const at::Tensor& dNormed, Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    const std::int64_t count = normed.size(0);
    auto logits = pass.scratch.take({count, vocabulary()}, pass.dtype);
    at::mm_out(logits, normed, head_.t());
    std::vector<double> losses(static_cast<std::size_t>(count));
    rows::byType(pass.dtype, [&]<class T>(T) {
        kernels::crossEntropy(rows::data<T>(logits), count, vocabulary(),
                              labels.const_data_ptr<std::int64_t>(), gradScale, losses.data());
    });
    if (gradScale)
        at::mm_out(const_cast<at::Tensor&>(dNormed), logits, head_);
    double sum = 0;
    for (const double loss : losses)
        sum += loss;
    return sum;
}

LossSum EmbeddingAndHead::loss(const at::Tensor& hidden, const at::Tensor& labels, const double* gradScale,
                               const at::Tensor& dHidden, Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    const auto positions = supervisedPositions(labels);
    const auto count = static_cast<std::int64_t>(positions.size());
    LossSum sum{0, count};
    if (count == 0) {
        if (gradScale)
            dHidden.zero_();
        return sum;
    }
    const auto chosen = pass.scratch.take({count, hidden.size(1)}, at::kFloat);
    const auto rstd = pass.scratch.take({count}, at::kFloat);
    const auto normed = pass.scratch.take(chosen.sizes(), pass.dtype),
               dNormed = pass.scratch.take(chosen.sizes(), pass.dtype);
    gatherRows(hidden, positions, chosen);
    rows::rmsNorm(chosen, norm_, eps_, normed, rstd);
    const auto targets = labels.index_select(0, at::tensor(positions, at::kLong));
    const float scale = gradScale ? static_cast<float>(*gradScale) : 0.0f;
    const std::int64_t chunk = std::max<std::int64_t>(16, chunkBytes / 4 / vocabulary());
    for (std::int64_t begin = 0; begin < count; begin += chunk) {
        const std::int64_t rows = std::min(chunk, count - begin);
        sum.loss += chunkLoss(normed.narrow(0, begin, rows), targets.narrow(0, begin, rows),
                              gradScale ? &scale : nullptr, dNormed.narrow(0, begin, rows), pass);
    }
    if (gradScale) {
        const auto dChosen = pass.scratch.take(chosen.sizes(), at::kFloat).zero_();
        rows::rmsNormBackward(dNormed, chosen, norm_, rstd, dChosen);
        scatterRows(dChosen, positions, dHidden);
    }
    return sum;
}

at::Tensor EmbeddingAndHead::logits(const at::Tensor& hidden, Pass& pass) const {
    const Workspace::Scope scope(pass.scratch);
    const auto rstd = pass.scratch.take({hidden.size(0)}, at::kFloat);
    const auto normed = pass.scratch.take(hidden.sizes(), pass.dtype);
    rows::rmsNorm(hidden, norm_, eps_, normed, rstd);
    return at::mm(normed, head_.t()).to(at::kFloat);
}

std::int64_t EmbeddingAndHead::bytes() const {
    const auto head = head_.is_same(embedding_) ? 0 : head_.nbytes();
    return static_cast<std::int64_t>(embedding_.nbytes() + head + norm_.nbytes());
}

} // namespace anneal
