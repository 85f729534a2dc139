#pragma once
#include "core/model/decoder.h"
#include "tests/kernels/golden.h"

#include <ATen/Functions.h>
#include <cmath>
#include <functional>

namespace anneal::test {

inline std::string tinyModel() { return (goldenFolder() / "tiny-llama").string(); }

/// A decoder over the tiny model, fp32, no dropout; `change` adjusts the options.
inline std::unique_ptr<Decoder> makeDecoder(const std::function<void(DecoderOptions&)>& change = {},
                                            const std::string& path = tinyModel()) {
    auto source = openModel(path);
    if (!source.ok())
        qFatal("%s", source.error().text().c_str());
    DecoderOptions options;
    options.lora.rank = 4;
    options.lora.alpha = 8;
    options.lora.dropout = 0;
    if (change)
        change(options);
    auto decoder = Decoder::load(*source, options, {}, CancelToken());
    if (!decoder.ok())
        qFatal("%s", decoder.error().text().c_str());
    return *std::move(decoder);
}

/// Gives every B values, so that no gradient is zero.
inline void fillB(Decoder& decoder, float spread = 0.05f) {
    auto& lora = decoder.lora();
    for (const auto& entry : lora.entries())
        if (entry.is_b) {
            auto values = lora.value(entry);
            auto* data = static_cast<float*>(values.data_ptr());
            for (std::int64_t i = 0; i < values.numel(); ++i)
                data[i] = spread * std::sin(static_cast<float>(entry.offset + 3 * i));
        }
}

/// One document: its tokens, and from which on they are trained.
struct Document {
    std::vector<std::int64_t> ids;
    std::size_t trainedFrom = 0;
    std::uint64_t key = 0;
};

inline TokenBatch makeBatch(const std::vector<Document>& documents) {
    std::vector<std::int64_t> ids, labels, positions;
    TokenBatch batch;
    batch.cu_seqlens.push_back(0);
    for (const auto& document : documents) {
        for (std::size_t i = 0; i < document.ids.size(); ++i) {
            ids.push_back(document.ids[i]);
            const bool trained = i + 1 < document.ids.size() && i + 1 >= document.trainedFrom;
            labels.push_back(trained ? document.ids[i + 1] : -100);
            positions.push_back(static_cast<std::int64_t>(i));
        }
        batch.cu_seqlens.push_back(static_cast<std::int64_t>(ids.size()));
        batch.document_keys.push_back(document.key);
    }
    batch.input_ids = at::tensor(ids, at::kLong);
    batch.labels = at::tensor(labels, at::kLong);
    batch.positions = at::tensor(positions, at::kLong);
    return batch;
}

/// Made-up tokens of the tiny vocabulary.
inline Document makeDocument(std::size_t length, std::uint64_t key, std::size_t trainedFrom = 0) {
    Document document{{}, trainedFrom, key};
    for (std::size_t i = 0; i < length; ++i)
        document.ids.push_back(static_cast<std::int64_t>(3 + (i * i * 7 + i * 13 + key * 31) % 300));
    return document;
}

inline std::span<const float> floats(const at::Tensor& tensor) {
    return {tensor.const_data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

/// Gradients of one pass, from zero.
inline at::Tensor gradients(Decoder& decoder, const TokenBatch& batch, double scale = 1,
                            DropoutKey key = {}) {
    decoder.lora().grads().zero_();
    auto sum = decoder.forwardBackward(batch, scale, key);
    if (!sum.ok())
        qFatal("%s", sum.error().text().c_str());
    return decoder.lora().grads().clone();
}

} // namespace anneal::test
