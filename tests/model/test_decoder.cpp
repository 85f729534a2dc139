#include "tests/model/fixture.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace anneal;
using namespace anneal::test;

namespace {

double lossOf(Decoder& decoder, const TokenBatch& batch) {
    const auto sum = decoder.evaluate(batch);
    if (!sum.ok())
        qFatal("%s", sum.error().text().c_str());
    return sum->loss;
}

void withDropout(DecoderOptions& options) { options.lora.dropout = 0.1; }

} // namespace

/// What the decoder promises whatever the numbers are.
class TestDecoder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gradientsEqualFiniteDifferences_data() {
        QTest::addColumn<QString>("model");
        QTest::newRow("grouped heads") << "tiny-llama";
        QTest::newRow("tied, scaled rope, odd sizes") << "tiny-llama-tied";
    }
    void gradientsEqualFiniteDifferences() {
        QFETCH(QString, model);
        const auto decoder = makeDecoder({}, (goldenFolder() / model.toStdString()).string());
        fillB(*decoder);
        const auto batch = makeBatch({makeDocument(9, 1), makeDocument(5, 2, 3)});
        const auto gradient = gradients(*decoder, batch);
        auto& values = decoder->lora().values();
        for (const auto& entry : decoder->lora().entries()) {
            // Along the gradient itself the slope is its norm.
            const auto direction = decoder->lora().grad(entry).clone();
            const double norm = direction.norm().item<double>();
            QVERIFY(norm > 0);
            const auto start = values.clone();
            const double step = 2e-2;
            decoder->lora().value(entry).add_(direction, step / norm);
            const double up = lossOf(*decoder, batch);
            values.copy_(start);
            decoder->lora().value(entry).sub_(direction, step / norm);
            const double slope = (up - lossOf(*decoder, batch)) / (2 * step);
            values.copy_(start);
            QVERIFY2(
                std::abs(slope - norm) < 2e-2 * norm + 1e-3,
                qPrintable(
                    QString("%1: %2, not %3").arg(QString::fromStdString(entry.name)).arg(slope).arg(norm)));
        }
        QVERIFY(at::isfinite(gradient).all().item<bool>());
    }

    void packedLogitsEqualThoseOfEachDocument() {
        const auto decoder = makeDecoder();
        fillB(*decoder);
        const auto a = makeDocument(23, 1), b = makeDocument(1, 2), c = makeDocument(140, 3);
        const auto packed = *decoder->logits(makeBatch({a, b, c}));
        const auto alone = at::cat({*decoder->logits(makeBatch({a})), *decoder->logits(makeBatch({b})),
                                    *decoder->logits(makeBatch({c}))});
        QVERIFY(relativeDifference(floats(packed), floats(alone)) < 1e-5);
    }

    void firstTokenOfANeighbourChangesNothing() {
        const auto decoder = makeDecoder();
        fillB(*decoder);
        const auto a = makeDocument(12, 1);
        auto b = makeDocument(9, 2);
        const auto before = *decoder->logits(makeBatch({a, b}));
        b.ids[0] = 250;
        const auto after = *decoder->logits(makeBatch({a, b}));
        QVERIFY(at::equal(before.narrow(0, 0, 12), after.narrow(0, 0, 12)));
        QVERIFY(!at::equal(before.narrow(0, 12, 9), after.narrow(0, 12, 9)));
    }

    void accumulationEqualsOneBatch_data() {
        QTest::addColumn<double>("dropout");
        QTest::newRow("without dropout") << 0.0;
        QTest::newRow("with dropout") << 0.1;
    }
    void accumulationEqualsOneBatch() {
        QFETCH(double, dropout);
        const auto decoder = makeDecoder([&](DecoderOptions& options) { options.lora.dropout = dropout; });
        fillB(*decoder);
        std::vector<Document> rows = {makeDocument(7, 10), makeDocument(31, 11, 20), makeDocument(3, 12),
                                      makeDocument(18, 13, 5)};
        const DropoutKey key{42, 7};
        const auto together = gradients(*decoder, makeBatch(rows), 0.02, key);
        decoder->lora().grads().zero_();
        for (const auto& row : rows)
            QVERIFY(decoder->forwardBackward(makeBatch({row}), 0.02, key).ok());
        QVERIFY(relativeDifference(floats(decoder->lora().grads()), floats(together)) < 1e-5);
        std::ranges::reverse(rows); // other neighbours, same draws
        QVERIFY(relativeDifference(floats(gradients(*decoder, makeBatch(rows), 0.02, key)),
                                   floats(together)) < 1e-5);
    }

    void checkpointingChangesNothing() {
        const auto plain = makeDecoder(withDropout);
        const auto checkpointed = makeDecoder([](DecoderOptions& options) {
            withDropout(options);
            options.gradient_checkpointing = true;
        });
        fillB(*plain);
        fillB(*checkpointed);
        const auto batch = makeBatch({makeDocument(40, 1, 5), makeDocument(17, 2)});
        const DropoutKey key{1, 3};
        QVERIFY(at::equal(gradients(*plain, batch, 1, key), gradients(*checkpointed, batch, 1, key)));
    }

    void dropoutDependsOnSeedStepAndDocument() {
        const auto decoder = makeDecoder(withDropout);
        fillB(*decoder);
        const auto batch = makeBatch({makeDocument(20, 1)});
        const auto first = gradients(*decoder, batch, 1, {1, 1});
        QVERIFY(at::equal(first, gradients(*decoder, batch, 1, {1, 1})));
        QVERIFY(!at::equal(first, gradients(*decoder, batch, 1, {2, 1})));
        QVERIFY(!at::equal(first, gradients(*decoder, batch, 1, {1, 2})));
        auto other = batch;
        other.document_keys = {2};
        QVERIFY(!at::equal(first, gradients(*decoder, other, 1, {1, 1})));
    }

    void everyBHasAGradientAfterOneStep_data() {
        QTest::addColumn<bool>("checkpointing");
        QTest::newRow("plain") << false;
        QTest::newRow("checkpointing") << true;
    }
    void everyBHasAGradientAfterOneStep() {
        QFETCH(bool, checkpointing);
        const auto decoder =
            makeDecoder([&](DecoderOptions& options) { options.gradient_checkpointing = checkpointing; });
        gradients(*decoder, makeBatch({makeDocument(20, 1)}));
        for (const auto& entry : decoder->lora().entries()) {
            const double norm = decoder->lora().grad(entry).norm().item<double>();
            QCOMPARE(norm > 0, entry.is_b); // B starts at zero, so A has none yet
        }
    }

    void aBatchWithoutLabelsIsZeroAndFinite() {
        const auto decoder = makeDecoder();
        fillB(*decoder);
        const auto batch = makeBatch({makeDocument(12, 1, 100)});
        decoder->lora().grads().fill_(0.5);
        const auto sum = decoder->forwardBackward(batch, 1, {});
        QVERIFY(sum.ok());
        QCOMPARE(sum->tokens, 0);
        QCOMPARE(sum->loss, 0.0);
        QVERIFY((decoder->lora().grads() == 0.5).all().item<bool>());
        QCOMPARE(lossOf(*decoder, batch), 0.0);
    }

    void lossCountsSupervisedTokensOnly() {
        const auto decoder = makeDecoder();
        const auto document = makeDocument(12, 1, 5);
        const auto batch = makeBatch({document});
        const auto sum = decoder->evaluate(batch);
        QVERIFY(sum.ok());
        QCOMPARE(sum->tokens, 7);
        const auto logits = decoder->logits(batch)->to(at::kDouble);
        const auto logProbabilities = at::log_softmax(logits, 1);
        double expected = 0;
        for (std::size_t i = 4; i + 1 < document.ids.size(); ++i)
            expected -= logProbabilities[static_cast<std::int64_t>(i)][document.ids[i + 1]].item<double>();
        QVERIFY(std::abs(sum->loss - expected) < 1e-4);
    }

    void generationEqualsFullLogits() {
        const auto decoder = makeDecoder();
        fillB(*decoder);
        const std::vector<Document> rows = {makeDocument(11, 1), makeDocument(6, 2), makeDocument(19, 3)};
        const auto cache = decoder->makeCache(3, 32);
        const auto piece = [&](std::size_t row, std::size_t begin, std::size_t end) {
            return std::vector<std::int32_t>(rows[row].ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                             rows[row].ids.begin() + static_cast<std::ptrdiff_t>(end));
        };
        const auto expect = [&](const at::Tensor& got, std::size_t row, std::size_t end) {
            auto prefix = rows[row];
            prefix.ids.resize(end);
            const auto full = *decoder->logits(makeBatch({prefix}));
            return relativeDifference(floats(got), floats(full[static_cast<std::int64_t>(end) - 1])) < 1e-5;
        };
        auto got =
            decoder->extend(*cache, {0, 1, 2}, {piece(0, 0, 8), piece(1, 0, 1), piece(2, 0, 16)}); // prefill
        QVERIFY(got.ok());
        QVERIFY(expect((*got)[0], 0, 8) && expect((*got)[1], 1, 1) && expect((*got)[2], 2, 16));
        got = decoder->extend(*cache, {2, 0},
                              {piece(2, 16, 17), piece(0, 8, 9)}); // one token each, another order
        QVERIFY(got.ok());
        QVERIFY(expect((*got)[0], 2, 17) && expect((*got)[1], 0, 9));
        got = decoder->extend(*cache, {1, 0}, {piece(1, 1, 6), piece(0, 9, 10)}); // a run behind a cache
        QVERIFY(got.ok());
        QVERIFY(expect((*got)[0], 1, 6) && expect((*got)[1], 0, 10));
    }

    void trainingAfterGenerationIsTheSame() {
        const auto decoder = makeDecoder();
        fillB(*decoder);
        const auto batch = makeBatch({makeDocument(20, 1)});
        const auto before = gradients(*decoder, batch);
        const auto cache = decoder->makeCache(1, 8);
        QVERIFY(decoder->extend(*cache, {0}, {{5, 6, 7}}).ok());
        QVERIFY(decoder->extend(*cache, {0}, {{8}}).ok());
        QVERIFY(at::equal(gradients(*decoder, batch), before));
    }

    void adapterCanBeTurnedOff() {
        const auto decoder = makeDecoder();
        const auto batch = makeBatch({makeDocument(10, 1)});
        const auto base = *decoder->logits(batch);
        fillB(*decoder, 0.5f);
        QVERIFY(!at::equal(*decoder->logits(batch), base));
        decoder->setAdapterEnabled(false);
        QVERIFY(relativeDifference(floats(*decoder->logits(batch)), floats(base)) < 1e-5);
    }

    void aSubsetOfLinearsIsTrained() {
        const auto decoder = makeDecoder([](DecoderOptions& options) {
            options.lora.target_modules = {"v_proj", "layers.1.mlp.down_proj"};
        });
        std::vector<std::string> modules;
        for (const auto& entry : decoder->lora().entries())
            if (entry.is_b)
                modules.push_back(std::to_string(entry.layer) + entry.module);
        QCOMPARE(modules,
                 (std::vector<std::string>{"0self_attn.v_proj", "1self_attn.v_proj", "1mlp.down_proj"}));
        fillB(*decoder);
        const auto batch = makeBatch({makeDocument(10, 1)});
        const double before = lossOf(*decoder, batch);
        const auto gradient = gradients(*decoder, batch);
        const double norm = gradient.norm().item<double>();
        decoder->lora().values().sub_(gradient, 0.01 / norm);
        QVERIFY(std::abs(before - lossOf(*decoder, batch) - 0.01 * norm) < 0.05 * 0.01 * norm + 1e-4);
    }

    void longAndShortDocumentsAgreeInBf16() {
        const auto full = makeDecoder(),
                   half = makeDecoder([](DecoderOptions&options) { options.compute_dtype = at::kBFloat16; });
        fillB(*full);
        fillB(*half);
        const auto batch = makeBatch({makeDocument(30, 1), makeDocument(200, 2)});
        QVERIFY(std::abs(lossOf(*half, batch) / lossOf(*full, batch) - 1) < 0.01);
        QVERIFY(relativeDifference(floats(gradients(*half, batch)), floats(gradients(*full, batch))) < 0.05);
    }

    void unquantizedWeightsTrainToo() {
        const auto decoder = makeDecoder([](DecoderOptions& options) { options.quantization.type = "none"; });
        fillB(*decoder);
        const auto batch = makeBatch({makeDocument(15, 1)});
        const double before = lossOf(*decoder, batch);
        const auto gradient = gradients(*decoder, batch);
        const double norm = gradient.norm().item<double>();
        decoder->lora().values().sub_(gradient, 0.01 / norm);
        QVERIFY(std::abs(before - lossOf(*decoder, batch) - 0.01 * norm) < 0.05 * 0.01 * norm + 1e-4);
    }

    void badTokensAndBordersAreErrors() {
        const auto decoder = makeDecoder();
        auto batch = makeBatch({makeDocument(10, 1)});
        batch.input_ids[3].fill_(320);
        const auto outside = decoder->evaluate(batch);
        QVERIFY(!outside.ok());
        QVERIFY(outside.error().kind == ErrorKind::InvalidInput);
        QVERIFY(outside.error().message.find("320") != std::string::npos);
        batch = makeBatch({makeDocument(10, 1)});
        batch.cu_seqlens = {0, 11};
        QVERIFY(!decoder->evaluate(batch).ok());
        const auto cache = decoder->makeCache(1, 4);
        QVERIFY(!decoder->extend(*cache, {0}, {{1, 2, 3, 4, 5}}).ok());
        QVERIFY(!decoder->extend(*cache, {1}, {{1}}).ok());
    }
};

QTEST_APPLESS_MAIN(TestDecoder)
#include "test_decoder.moc"
