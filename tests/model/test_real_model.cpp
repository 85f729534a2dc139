#include "tests/model/replay.h"

#include <QtTest>

using namespace anneal;
using namespace anneal::test;

/// The decoder on SmolLM2-135M from its GGUF file against transformers, PEFT and bitsandbytes.
class TestRealModel : public QObject {
    Q_OBJECT

    Replay replay_{"smollm2"};
    Json logits_;
    std::unique_ptr<Decoder> adapted_;

    std::unique_ptr<Decoder> load(const std::function<void(DecoderOptions&)>& change) const {
        return makeDecoder(change, ANNEAL_MODEL_GGUF);
    }

    /// The 16 largest logits and the log of the sum of all exponentials at some positions.
    void compare(Decoder& decoder, const Json& slices, double tolerance) const {
        const Document document{logits_["input_ids"].get<std::vector<std::int64_t>>(), 0, 0};
        const auto all = decoder.logits(makeBatch({document}));
        QVERIFY(all.ok());
        for (const auto& slice : slices) {
            const auto row = (*all)[slice["position"].get<std::int64_t>()];
            QVERIFY(std::abs(row.logsumexp(0).item<double>() - slice["logsumexp"].get<double>()) < tolerance);
            const auto ids = slice["top_ids"].get<std::vector<std::int64_t>>();
            for (std::size_t i = 0; i < ids.size(); ++i)
                QVERIFY(std::abs(row[ids[i]].item<double>() - slice["top_logits"][i].get<double>()) <
                        tolerance);
        }
    }

    double meanLoss(Decoder& decoder) const {
        const auto sum = decoder.evaluate(makeBatch(replay_.rows()));
        return sum.ok() ? sum->loss / static_cast<double>(sum->tokens) : -1;
    }

private Q_SLOTS:
    void initTestCase() {
        if (!fs::exists(ANNEAL_MODEL_GGUF))
            QSKIP("The model is not here: run tools/setup.");
        auto read = readJsonFile(goldenFolder() / "smollm2/logits.json");
        QVERIFY(read.ok());
        logits_ = *read;
        adapted_ = load([&](DecoderOptions& options) { options.adapter = replay_.initFolder(); });
    }

    void logitsWithoutQuantization() {
        const auto decoder = load([](DecoderOptions& options) {
            options.trainable = false;
            options.quantization.type = "none";
        });
        compare(*decoder, logits_["bf16_weights"]["slices"], 2e-3);
    }

    void logitsAndLossOfTheBase() {
        adapted_->setAdapterEnabled(false);
        compare(*adapted_, logits_["nf4_double"]["slices"], 2e-3);
        QVERIFY(std::abs(meanLoss(*adapted_) - logits_["nf4_double"]["loss"].get<double>()) < 1e-4);
        adapted_->setAdapterEnabled(true);
    }

    void logitsAndLossWithAdapter() {
        compare(*adapted_, logits_["nf4_double_with_adapter"]["slices"], 2e-3);
        QVERIFY(std::abs(meanLoss(*adapted_) - logits_["nf4_double_with_adapter"]["loss"].get<double>()) <
                1e-4);
    }

    void greedyContinuation() {
        const auto& greedy = logits_["nf4_double"]["greedy"];
        adapted_->setAdapterEnabled(false);
        const auto cache = adapted_->makeCache(1, 100);
        auto ids = greedy["prompt_ids"].get<std::vector<std::int32_t>>();
        for (const auto& expected : greedy["generated_ids"]) {
            const auto next = adapted_->extend(*cache, {0}, {ids});
            QVERIFY(next.ok());
            ids = {static_cast<std::int32_t>((*next)[0].argmax().item<std::int64_t>())};
            QCOMPARE(ids[0], expected.get<std::int32_t>());
        }
        adapted_->setAdapterEnabled(true);
    }

    void firstGradients() {
        const auto [difference, name] = replay_.worstFirstGradient(*adapted_);
        QVERIFY2(difference < 1e-4,
                 qPrintable(QString("%1 at %2").arg(difference).arg(QString::fromStdString(name))));
    }

    void twentyLosses() { // last: it trains the adapter
        const double difference = replay_.worstLoss(*adapted_);
        QVERIFY2(difference < 1e-3, qPrintable(QString::number(difference)));
    }
};

QTEST_APPLESS_MAIN(TestRealModel)
#include "test_real_model.moc"
