#include "core/base/json.h"
#include "tests/model/fixture.h"

#include <QtTest>
#include <cmath>

using namespace anneal;
using namespace anneal::test;

/// The decoder against transformers, PEFT and bitsandbytes.
class TestGoldenModel : public QObject {
    Q_OBJECT

    Golden logits_{"logits.safetensors"};
    fs::path lora_ = goldenFolder() / "lora";

    std::unique_ptr<Decoder> fromInit() const {
        return makeDecoder([&](DecoderOptions& options) { options.adapter = (lora_ / "init").string(); });
    }

    /// Rows of the training set as documents.
    static Document row(const Json& value, std::uint64_t key) {
        Document document;
        document.ids = value["input_ids"].get<std::vector<std::int64_t>>();
        document.key = key;
        const auto labels = value["labels"].get<std::vector<std::int64_t>>();
        while (document.trainedFrom < labels.size() && labels[document.trainedFrom] == -100)
            ++document.trainedFrom;
        return document;
    }

    /// All micro-batches of a step, gradients of the mean over its supervised tokens; returns the mean loss.
    static double runStep(Decoder& decoder, const Json& batches, const Json& step) {
        std::vector<TokenBatch> microBatches;
        std::int64_t tokens = 0;
        for (const auto& rows : step) {
            std::vector<Document> documents;
            for (const auto& index : rows)
                documents.push_back(row(batches["rows"][index.get<std::size_t>()], index.get<std::uint64_t>()));
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

    /// AdamW (Loshchilov and Hutter 2019) without decay, after clipping to norm 1.
    struct Adam {
        at::Tensor m, v;
        int t = 0;
        void step(LoraParameters& lora, double rate) {
            if (!m.defined()) {
                m = at::zeros_like(lora.grads());
                v = at::zeros_like(lora.grads());
            }
            const double norm = lora.grads().norm().item<double>();
            const auto g = lora.grads() * std::min(1.0, 1.0 / (norm + 1e-6));
            ++t;
            m.mul_(0.9).add_(g, 0.1);
            v.mul_(0.999).addcmul_(g, g, 0.001);
            const auto denominator = (v / (1 - std::pow(0.999, t))).sqrt().add_(1e-8);
            lora.values().sub_(m / (1 - std::pow(0.9, t)) / denominator * rate);
        }
    };

private Q_SLOTS:
    void logitsEqualReference_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("kind");
        for (const char* model : {"tiny-llama", "tiny-llama-tied"})
            for (const char* kind : {"float32", "nf4", "nf4_double"})
                QTest::addRow("%s %s", model, kind) << model << kind;
    }
    void logitsEqualReference() {
        QFETCH(QString, model);
        QFETCH(QString, kind);
        const auto decoder = makeDecoder(
            [&](DecoderOptions& options) {
                options.trainable = false;
                options.quantization.type = kind == "float32" ? "none" : "nf4";
                options.quantization.double_quant = kind == "nf4_double";
            },
            (goldenFolder() / model.toStdString()).string());
        for (int index = 0; index < 3; ++index) {
            const auto key = model.toStdString() + "." + std::to_string(index) + ".";
            const Document document{logits_.raw<std::int64_t>(key + "input_ids"), 0, 0};
            const auto result = decoder->logits(makeBatch({document}));
            QVERIFY2(result.ok(), result.ok() ? "" : result.error().text().c_str());
            const auto expected = logits_.floats(key + kind.toStdString());
            const auto all = floats(*result);
            QVERIFY(test::relativeDifference(all.last(expected.size()), expected) < 2e-5);
        }
    }

    void firstGradientsEqualReference() {
        const auto decoder = fromInit();
        const auto batches = readJsonFile(lora_ / "batches.json");
        QVERIFY(batches.ok());
        runStep(*decoder, *batches, (*batches)["steps"][0]);
        const Golden expected(fs::path("lora") / "first_gradients.safetensors");
        QCOMPARE(decoder->lora().entries().size(), expected.file().tensors().size());
        for (const auto& entry : decoder->lora().entries()) {
            const auto difference = relativeDifference(floats(decoder->lora().grad(entry)), expected.floats(entry.name));
            QVERIFY2(difference < 1e-4, qPrintable(QString::fromStdString(entry.name) + " " + QString::number(difference)));
        }
    }

    void twentyLossesEqualReference() {
        const auto decoder = fromInit();
        const auto batches = readJsonFile(lora_ / "batches.json"), training = readJsonFile(lora_ / "training.json");
        QVERIFY(batches.ok() && training.ok());
        Adam adam;
        for (std::size_t step = 0; step < 20; ++step) {
            const double loss = runStep(*decoder, *batches, (*batches)["steps"][step]);
            const double expected = (*training)["loss"][step].get<double>();
            QVERIFY2(std::abs(loss - expected) < 1e-3 * expected, qPrintable(QString("step %1: %2, not %3").arg(step).arg(loss).arg(expected)));
            const double norm = decoder->lora().grads().norm().item<double>();
            QVERIFY(std::abs(norm - (*training)["grad_norm"][step].get<double>()) < 1e-2 * norm);
            adam.step(decoder->lora(), (*training)["learning_rate"][step].get<double>());
        }
        const Golden last(fs::path("lora") / "final_adapter.safetensors");
        for (const auto& entry : decoder->lora().entries())
            QVERIFY(relativeDifference(floats(decoder->lora().value(entry)), last.floats(entry.name)) < 1e-2);
    }

    void rankStabilisedLogitsEqualReference() {
        const Golden variants(fs::path("lora") / "variants.safetensors");
        const Document document{variants.raw<std::int64_t>("input_ids"), 0, 0};
        const auto plain = fromInit();
        QVERIFY(relativeDifference(floats(*plain->logits(makeBatch({document}))), variants.floats("lora.logits")) < 2e-5);
        // The same matrices, scaled by alpha / sqrt(rank).
        const auto stabilised = makeDecoder([](DecoderOptions& options) { options.lora.use_rslora = true; });
        stabilised->lora().values().copy_(plain->lora().values());
        QCOMPARE(stabilised->lora().scaling(), 4.0);
        QVERIFY(relativeDifference(floats(*stabilised->logits(makeBatch({document}))), variants.floats("rslora.logits")) < 2e-5);
    }
};

QTEST_APPLESS_MAIN(TestGoldenModel)
#include "test_golden_model.moc"
