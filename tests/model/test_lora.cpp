#include "core/base/json.h"
#include "tests/model/fixture.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace anneal;
using namespace anneal::test;

namespace {

ModelConfig tinyConfig() { return (*openModel(tinyModel()))->config(); }

Error loadError(const std::function<void(DecoderOptions&)>& change) {
    DecoderOptions options;
    change(options);
    auto decoder = Decoder::load(*openModel(tinyModel()), options, {}, CancelToken());
    if (decoder.ok())
        qFatal("loaded");
    return decoder.error();
}

void rewriteConfig(const fs::path& folder, const std::function<void(Json&)>& change) {
    auto config = *readJsonFile(folder / "adapter_config.json");
    change(config);
    QVERIFY(writeFileAtomic(folder / "adapter_config.json", dumpJsonPretty(config)).ok());
}

} // namespace

class TestLora : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void startsAsPeftDoes() {
        LoraSettings settings;
        settings.rank = 64;
        const auto lora = LoraParameters::initialise(tinyConfig(), settings, 42);
        QVERIFY(lora.ok());
        for (const auto& entry : lora->entries()) {
            const auto value = lora->value(entry);
            if (entry.is_b) {
                QCOMPARE(value.abs().max().item<float>(), 0.0f);
                continue;
            }
            const double bound = 1 / std::sqrt(static_cast<double>(entry.shape[1]));
            QVERIFY(value.abs().max().item<double>() <= bound);
            QVERIFY(std::abs(value.std().item<double>() - bound / std::sqrt(3.0)) < 0.03 * bound);
        }
    }

    void drawsDependOnTheEntryAlone() {
        LoraSettings all, some;
        some.target_modules = {"down_proj"};
        const auto full = LoraParameters::initialise(tinyConfig(), all, 42),
                   part = LoraParameters::initialise(tinyConfig(), some, 42);
        QVERIFY(full.ok() && part.ok());
        for (const auto& entry : part->entries())
            for (const auto& other : full->entries())
                if (other.name == entry.name)
                    QVERIFY(at::equal(part->value(entry), full->value(other)));
        const auto again = LoraParameters::initialise(tinyConfig(), all, 43);
        QVERIFY(!at::equal(again->values(), full->values()));
    }

    void entriesFollowLayerLinearAAndB() {
        const auto lora = LoraParameters::initialise(tinyConfig(), {}, 1);
        QVERIFY(lora.ok());
        QCOMPARE(lora->entries().size(), std::size_t{2 * 7 * 2});
        QCOMPARE(lora->entries()[0].name,
                 std::string("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"));
        QCOMPARE(lora->entries()[15].name,
                 std::string("base_model.model.model.layers.1.self_attn.q_proj.lora_B.weight"));
        std::int64_t offset = 0;
        for (const auto& entry : lora->entries()) {
            QCOMPARE(entry.offset, offset);
            offset += entry.shape[0] * entry.shape[1];
        }
        QCOMPARE(lora->values().numel(), offset);
    }

    void savedAdapterLoadsBitwise() {
        const QTemporaryDir folder;
        const auto path = fs::path(folder.path().toStdString()) / "adapter";
        const auto decoder = makeDecoder([](DecoderOptions& options) {
            options.lora.target_modules = {"q_proj", "v_proj"};
            options.lora.use_rslora = true;
            options.lora.alpha = 6.5;
            options.lora.dropout = 0.1;
        });
        fillB(*decoder);
        QVERIFY(decoder->lora().save(path, "some/base").ok());
        const auto loaded = makeDecoder([&](DecoderOptions& options) { options.adapter = path.string(); });
        QVERIFY(at::equal(loaded->lora().values(), decoder->lora().values()));
        QCOMPARE(loaded->lora().scaling(), decoder->lora().scaling());
        QCOMPARE(loaded->lora().settings().target_modules, (std::vector<std::string>{"q_proj", "v_proj"}));
        const auto batch = makeBatch({makeDocument(10, 1)});
        QVERIFY(at::equal(*loaded->logits(batch), *decoder->logits(batch)));
        const auto config = *readJsonFile(path / "adapter_config.json");
        QCOMPARE(config["base_model_name_or_path"].get<std::string>(), std::string("some/base"));
        QCOMPARE(config["peft_type"].get<std::string>(), std::string("LORA"));
    }

    void damagedAdaptersAreErrors() {
        const QTemporaryDir folder;
        const auto path = fs::path(folder.path().toStdString());
        const auto load = [&] {
            LoraSettings settings;
            auto lora = LoraParameters::load(tinyConfig(), settings, path);
            return lora.ok() ? Error{} : lora.error();
        };
        const auto write = [&](const std::vector<std::string>& targets) {
            LoraSettings settings;
            settings.target_modules = targets;
            QVERIFY(LoraParameters::initialise(tinyConfig(), settings, 1)->save(path, "base").ok());
        };
        QVERIFY(!load().message.empty()); // nothing there
        write({"q_proj"});
        QVERIFY(load().message.empty());
        rewriteConfig(path, [](Json& config) { config["target_modules"] = {"q_proj", "k_proj"}; });
        QVERIFY(load().message.find("k_proj.lora_A") != std::string::npos); // a missing key
        write({"q_proj", "k_proj"});
        rewriteConfig(path, [](Json& config) { config["target_modules"] = {"q_proj"}; });
        QVERIFY(load().message.find("k_proj.lora_A") != std::string::npos); // one too many
        rewriteConfig(path, [](Json& config) { config["use_dora"] = true; });
        QVERIFY(load().message.find("use_dora") != std::string::npos);
        write({"q_proj"});
        rewriteConfig(path, [](Json& config) { config["r"] = 8; });
        QVERIFY(load().message.find("shape") != std::string::npos);
    }

    void adapterDecidesRankAlphaAndTargets() {
        LoraSettings settings;
        settings.rank = 99;
        settings.dropout = 0.3;
        const auto lora = LoraParameters::load(tinyConfig(), settings, goldenFolder() / "lora/init");
        QVERIFY(lora.ok());
        QCOMPARE(settings.rank, 4);
        QCOMPARE(settings.alpha, 8.0);
        QCOMPARE(settings.target_modules.size(),
                 std::size_t{7}); // named in full in the file, short when all layers have it
        QCOMPARE(lora->dropout(), 0.3);
        QCOMPARE(lora->scaling(), 2.0);
    }

    void wrongSettingsNameTheFix() {
        const auto typo = loadError([](DecoderOptions& options) { options.lora.target_modules = {"q_prj"}; });
        QVERIFY(typo.kind == ErrorKind::InvalidInput);
        QVERIFY(typo.message.find("q_prj") != std::string::npos);
        QVERIFY(typo.fix.find("q_proj") != std::string::npos);
        QVERIFY(loadError([](DecoderOptions& options) {
                    options.lora.use_dora = true;
                }).message.find("DoRA") != std::string::npos);
        QVERIFY(loadError([](DecoderOptions& options) { options.lora.target_modules = {}; }).kind ==
                ErrorKind::InvalidInput);
        QVERIFY(loadError([](DecoderOptions& options) { options.quantization.type = "fp4"; }).kind ==
                ErrorKind::InvalidInput);
        QVERIFY(loadError([](DecoderOptions& options) {
                    options.quantization.block_size = 128;
                }).fix.find("64") != std::string::npos);
    }

    void loadingCanBeStopped() {
        CancelToken cancel;
        cancel.cancel();
        auto decoder = Decoder::load(*openModel(tinyModel()), {}, {}, cancel);
        QVERIFY(!decoder.ok());
        QVERIFY(decoder.error().kind == ErrorKind::Stopped);
    }
};

QTEST_APPLESS_MAIN(TestLora)
#include "test_lora.moc"
