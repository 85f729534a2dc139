#include "tests/model/replay.h"

#include <QtTest>

using namespace anneal;
using namespace anneal::test;

/// The decoder against transformers, PEFT and bitsandbytes on tiny models.
class TestGoldenModel : public QObject {
    Q_OBJECT

    Golden logits_{"logits.safetensors"};
    Replay replay_{"lora"};

    std::unique_ptr<Decoder> fromInit() const {
        return makeDecoder([&](DecoderOptions& options) { options.adapter = replay_.initFolder(); });
    }

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
            QVERIFY(relativeDifference(floats(*result).last(expected.size()), expected) < 2e-5);
        }
    }

    void firstGradientsEqualReference() {
        const auto [difference, name] = replay_.worstFirstGradient(*fromInit());
        QVERIFY2(difference < 1e-4,
                 qPrintable(QString("%1 at %2").arg(difference).arg(QString::fromStdString(name))));
    }

    void twentyLossesEqualReference() {
        const auto decoder = fromInit();
        const double difference = replay_.worstLoss(*decoder);
        QVERIFY2(difference < 1e-3, qPrintable(QString::number(difference)));
        const auto last = replay_.tensors("final_adapter.safetensors");
        for (const auto& entry : decoder->lora().entries())
            QVERIFY(relativeDifference(floats(decoder->lora().value(entry)), last.floats(entry.name)) < 1e-2);
        const auto& losses = replay_.training()["loss"];
        QVERIFY(losses.back().get<double>() <
                0.85 * losses.front().get<double>()); // the run learns something
    }

    void rankStabilisedLogitsEqualReference() {
        const auto variants = replay_.tensors("variants.safetensors");
        const Document document{variants.raw<std::int64_t>("input_ids"), 0, 0};
        const auto plain = fromInit();
        QVERIFY(relativeDifference(floats(*plain->logits(makeBatch({document}))),
                                   variants.floats("lora.logits")) < 2e-5);
        // The same matrices, scaled by alpha / sqrt(rank).
        const auto stabilised = makeDecoder([](DecoderOptions& options) { options.lora.use_rslora = true; });
        stabilised->lora().values().copy_(plain->lora().values());
        QCOMPARE(stabilised->lora().scaling(), 4.0);
        QVERIFY(relativeDifference(floats(*stabilised->logits(makeBatch({document}))),
                                   variants.floats("rslora.logits")) < 2e-5);
    }
};

QTEST_APPLESS_MAIN(TestGoldenModel)
#include "test_golden_model.moc"
