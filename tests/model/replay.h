#pragma once
#include "core/base/json.h"
#include "tests/model/fixture.h"

namespace anneal::test {

/// A recorded training run of the reference: rows, their order, losses, gradients.
class Replay {
public:
    explicit Replay(const std::string& name) : folder_(goldenFolder() / name) {
        auto batches = readJsonFile(folder_ / "batches.json"),
             training = readJsonFile(folder_ / "training.json");
        if (!batches.ok() || !training.ok())
            qFatal("no recorded run in %s", folder_.c_str());
        batches_ = *batches;
        training_ = *training;
    }

    std::string initFolder() const { return (folder_ / "init").string(); }
    const Json& training() const { return training_; }
    Golden tensors(const char* name) const { return Golden(folder_ / name); }

    std::vector<Document> rows() const {
        std::vector<Document> all;
        for (std::size_t i = 0; i < batches_["rows"].size(); ++i)
            all.push_back(row(i));
        return all;
    }

    /// All micro-batches of a step, gradients of the mean over its supervised tokens; returns the mean loss.
    double runStep(Decoder& decoder, std::size_t step) const {
        std::vector<TokenBatch> microBatches;
        std::int64_t tokens = 0;
        for (const auto& numbers : batches_["steps"][step]) {
            std::vector<Document> documents;
            for (const auto& number : numbers)
                documents.push_back(row(number.get<std::size_t>()));
            microBatches.push_back(makeBatch(documents));
            tokens += (microBatches.back().labels >= 0).sum().item<std::int64_t>();
        }
        decoder.lora().grads().zero_();
        double loss = 0;
        for (const auto& batch : microBatches) {
            const auto sum = decoder.forwardBackward(batch, 1.0 / static_cast<double>(tokens), {});
            if (!sum.ok())
                qFatal("%s", sum.error().text().c_str());
            loss += sum->loss;
        }
        return loss / static_cast<double>(tokens);
    }

    /// The largest relative difference of a first gradient's tensor, and its name.
    std::pair<double, std::string> worstFirstGradient(Decoder& decoder) const {
        runStep(decoder, 0);
        const auto expected = tensors("first_gradients.safetensors");
        if (expected.file().tensors().size() != decoder.lora().entries().size())
            qFatal("other tensors than recorded");
        std::pair<double, std::string> worst;
        for (const auto& entry : decoder.lora().entries())
            worst = std::max(
                worst, {relativeDifference(floats(decoder.lora().grad(entry)), expected.floats(entry.name)),
                        entry.name});
        return worst;
    }

    /// Trains as recorded and returns the largest relative difference of a loss.
    double worstLoss(Decoder& decoder) const {
        double worst = 0;
        at::Tensor m = at::zeros_like(decoder.lora().grads()), v = at::zeros_like(m);
        for (std::size_t step = 0; step < training_["loss"].size(); ++step) {
            const double loss = runStep(decoder, step), expected = training_["loss"][step].get<double>();
            worst = std::max(worst, std::abs(loss / expected - 1));
            adamStep(decoder.lora(), m, v, static_cast<double>(step + 1),
                     training_["learning_rate"][step].get<double>());
        }
        return worst;
    }

private:
    Document row(std::size_t index) const {
        const auto& value = batches_["rows"][index];
        Document document;
        document.ids = value["input_ids"].get<std::vector<std::int64_t>>();
        document.key = index;
        const auto labels = value["labels"].get<std::vector<std::int64_t>>();
        while (document.trainedFrom < labels.size() && labels[document.trainedFrom] == -100)
            ++document.trainedFrom;
        return document;
    }

    /// AdamW (Loshchilov and Hutter 2019) without decay, after clipping to norm 1.
    static void adamStep(LoraParameters& lora, at::Tensor& m, at::Tensor& v, double t, double rate) {
        const double norm = lora.grads().norm().item<double>();
        const auto g = lora.grads() * std::min(1.0, 1.0 / (norm + 1e-6));
        m.mul_(0.9).add_(g, 0.1);
        v.mul_(0.999).addcmul_(g, g, 0.001);
        const auto denominator = (v / (1 - std::pow(0.999, t))).sqrt().add_(1e-8);
        lora.values().sub_(m / (1 - std::pow(0.9, t)) / denominator * rate);
    }

    fs::path folder_;
    Json batches_, training_;
};

} // namespace anneal::test
