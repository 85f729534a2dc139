#include "core/model/attention.h"

#include "core/kernels/parallel.h"
#include "core/kernels/softmax.h"
#include "core/model/rows.h"

#include <ATen/Functions.h>
#include <algorithm>
#include <c10/core/InferenceMode.h>
#include <cmath>
#include <cstring>

namespace anneal {

namespace {

/// `count` floats that stay with the thread: slot 0, 1 or 2.
float* threadRoom(std::size_t slot, std::int64_t count) {
    static thread_local std::vector<float> rooms[3];
    auto& room = rooms[slot];
    if (room.size() < static_cast<std::size_t>(count))
        room.resize(static_cast<std::size_t>(count));
    return room.data();
}

at::Tensor view(const float* data, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
    return at::from_blob(const_cast<float*>(data), {rows, columns}, {stride, 1},
                         at::TensorOptions(at::kFloat));
}

/// Queries whose scores fit into the processor's second-level cache together.
std::int64_t blockQueries(std::int64_t keys) {
    return std::clamp<std::int64_t>(65536 / std::max<std::int64_t>(1, keys) / 16 * 16, 16, 128);
}

/// One block of queries of one head.
struct Block {
    std::int64_t begin, rows; ///< inside the span
    std::int64_t keys;        ///< seen by its last query
    std::int64_t firstLimit;  ///< seen by its first query
};

template <class Use>
void forBlocks(const AttentionSpan& span, const Use& use) {
    const std::int64_t size = blockQueries(span.keyCount), before = span.keyCount - span.queries;
    for (std::int64_t begin = 0; begin < span.queries; begin += size) {
        const std::int64_t rows = std::min(size, span.queries - begin);
        use(Block{begin, rows, before + begin + rows, before + begin + 1});
    }
}

/// One head of one span.
class HeadForward {
public:
    HeadForward(const AttentionShape& shape, const AttentionSpan& span, std::int64_t head,
                const at::Tensor& qkv, const at::Tensor& out, const at::Tensor& logSumExp)
        : shape_(shape), span_(span), qStride_(qkv.stride(0)), outStride_(out.stride(0)) {
        const std::int64_t kvHead = head / (shape.heads / shape.kvHeads);
        q_ = rows::data<float>(qkv) + span.firstQuery * qStride_ + head * shape.headSize;
        out_ = rows::data<float>(out) + span.firstQuery * outStride_ + head * shape.headSize;
        k_ = span.keys + kvHead * shape.headSize;
        v_ = span.values + kvHead * shape.headSize;
        lse_ = logSumExp.defined()
                   ? rows::data<float>(logSumExp) + head * logSumExp.stride(0) + span.firstQuery
                   : nullptr;
    }

    void run() const {
        if (span_.queries == 1)
            return kernels::attendOne(q_, k_, v_, span_.stride, span_.keyCount, shape_.headSize, shape_.scale,
                                      threadRoom(0, span_.keyCount), out_);
        forBlocks(span_, [&](const Block& block) { runBlock(block); });
    }

private:
    void runBlock(const Block& block) const {
        auto scores = view(threadRoom(0, block.rows * block.keys), block.rows, block.keys, block.keys);
        const auto keys = view(k_, block.keys, shape_.headSize, span_.stride);
        const auto values = view(v_, block.keys, shape_.headSize, span_.stride);
        at::mm_out(scores, view(q_ + block.begin * qStride_, block.rows, shape_.headSize, qStride_),
                   keys.t());
        float* lse = lse_ ? lse_ + block.begin : threadRoom(1, block.rows);
        kernels::causalSoftmax(rows::data<float>(scores), block.keys, block.rows, block.keys,
                               block.firstLimit, shape_.scale, lse);
        auto out = view(out_ + block.begin * outStride_, block.rows, shape_.headSize, outStride_);
        at::mm_out(out, scores, values);
    }

    const AttentionShape& shape_;
    const AttentionSpan& span_;
    std::int64_t qStride_, outStride_;
    const float *q_, *k_, *v_;
    float *out_, *lse_;
};

/// One key-value head of one document with all of its query heads.
class GroupBackward {
public:
    GroupBackward(const AttentionShape& shape, const AttentionSpan& span, std::int64_t kvHead,
                  const at::Tensor& qkv, const at::Tensor& dqkv)
        : shape_(shape), span_(span), stride_(qkv.stride(0)), kvHead_(kvHead),
          offset_(span.firstQuery * stride_) {
        q_ = rows::data<float>(qkv) + offset_;
        dq_ = rows::data<float>(dqkv) + offset_;
        dk_ = dq_ + shape.queryColumns() + kvHead * shape.headSize;
        dv_ = dk_ + shape.kvColumns();
    }

    void run(const at::Tensor& out, const at::Tensor& logSumExp, const at::Tensor& dOut) const {
        view(dk_, span_.keyCount, shape_.headSize, stride_).zero_();
        view(dv_, span_.keyCount, shape_.headSize, stride_).zero_();
        const std::int64_t group = shape_.heads / shape_.kvHeads;
        for (std::int64_t head = kvHead_ * group; head < (kvHead_ + 1) * group; ++head)
            forBlocks(span_, [&](const Block& block) { runBlock(block, head, out, logSumExp, dOut); });
    }

private:
    void runBlock(const Block& block, std::int64_t head, const at::Tensor& out, const at::Tensor& logSumExp,
                  const at::Tensor& dOut) const {
        const std::int64_t row = span_.firstQuery + block.begin, size = shape_.headSize, column = head * size;
        const auto head2d = [&](const at::Tensor& of) {
            return view(rows::data<float>(of) + row * of.stride(0) + column, block.rows, size, of.stride(0));
        };
        const auto dO = head2d(dOut);
        const auto q = view(q_ + block.begin * stride_ + column, block.rows, size, stride_);
        const auto k = view(span_.keys + kvHead_ * size, block.keys, size, span_.stride);
        const auto v = view(span_.values + kvHead_ * size, block.keys, size, span_.stride);
        auto p = view(threadRoom(0, block.rows * block.keys), block.rows, block.keys, block.keys);
        auto dP = view(threadRoom(1, block.rows * block.keys), block.rows, block.keys, block.keys);
        float* delta = threadRoom(2, block.rows);
        at::mm_out(p, q, k.t());
        kernels::causalProbabilities(rows::data<float>(p), block.keys, block.rows, block.keys,
                                     block.firstLimit, shape_.scale,
                                     rows::data<float>(logSumExp) + head * logSumExp.stride(0) + row);
        view(dv_, block.keys, size, stride_).addmm_(p.t(), dO);
        at::mm_out(dP, dO, v.t());
        kernels::rowDots(rows::data<float>(dO), dO.stride(0), rows::data<float>(head2d(out)), out.stride(0),
                         block.rows, size, delta);
        kernels::softmaxBackward(rows::data<float>(p), rows::data<float>(dP), block.keys, block.rows,
                                 block.keys, shape_.scale, delta);
        auto dq = view(dq_ + block.begin * stride_ + column, block.rows, size, stride_);
        at::mm_out(dq, dP, k);
        view(dk_, block.keys, size, stride_).addmm_(dP.t(), q);
    }

    const AttentionShape& shape_;
    const AttentionSpan& span_;
    std::int64_t stride_, kvHead_, offset_;
    const float* q_;
    float *dq_, *dk_, *dv_;
};

} // namespace

AttentionShape AttentionShape::of(const ModelConfig& config) {
    return {config.num_attention_heads, config.num_key_value_heads, config.head_dim,
            static_cast<float>(1.0 / std::sqrt(static_cast<double>(config.head_dim)))};
}

std::vector<AttentionSpan> documentSpans(const AttentionShape& shape, const at::Tensor& qkv,
                                         const std::vector<std::int64_t>& cuSeqlens) {
    std::vector<AttentionSpan> spans;
    const std::int64_t stride = qkv.stride(0);
    for (std::size_t i = 0; i + 1 < cuSeqlens.size(); ++i) {
        const std::int64_t first = cuSeqlens[i], count = cuSeqlens[i + 1] - first;
        const float* keys = rows::data<float>(qkv) + first * stride + shape.queryColumns();
        if (count > 0)
            spans.push_back({first, count, keys, keys + shape.kvColumns(), stride, count});
    }
    return spans;
}

void attentionForward(const AttentionShape& shape, const std::vector<AttentionSpan>& spans,
                      const at::Tensor& qkv, const at::Tensor& out, const at::Tensor& logSumExp) {
    const auto tasks = static_cast<std::int64_t>(spans.size()) * shape.heads;
    kernels::parallelTasks(tasks, [&](std::int64_t task, std::int64_t) {
        const c10::InferenceMode inference;
        const auto& span = spans[static_cast<std::size_t>(task / shape.heads)];
        HeadForward(shape, span, task % shape.heads, qkv, out, logSumExp).run();
    });
}

void attentionBackward(const AttentionShape& shape, const std::vector<AttentionSpan>& spans,
                       const at::Tensor& qkv, const at::Tensor& out, const at::Tensor& logSumExp,
                       const at::Tensor& dOut, const at::Tensor& dqkv) {
    const auto tasks = static_cast<std::int64_t>(spans.size()) * shape.kvHeads;
    kernels::parallelTasks(tasks, [&](std::int64_t task, std::int64_t) {
        const c10::InferenceMode inference;
        const auto& span = spans[static_cast<std::size_t>(task / shape.kvHeads)];
        GroupBackward(shape, span, task % shape.kvHeads, qkv, dqkv).run(out, logSumExp, dOut);
    });
}

} // namespace anneal
