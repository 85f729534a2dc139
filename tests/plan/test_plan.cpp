#include "core/plan/plan.h"
#include "core/schema/config_io.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace anneal;

namespace {

ModelConfig shape(std::int64_t vocab, std::int64_t hidden, std::int64_t intermediate, std::int64_t layers,
                  std::int64_t heads, std::int64_t kvHeads, bool tied) {
    ModelConfig model;
    model.family = "llama";
    model.vocab_size = vocab;
    model.hidden_size = hidden;
    model.intermediate_size = intermediate;
    model.num_hidden_layers = layers;
    model.num_attention_heads = heads;
    model.num_key_value_heads = kvHeads;
    model.head_dim = hidden / heads;
    model.max_position_embeddings = 4096;
    model.rope_theta = 10000;
    model.tie_word_embeddings = tied;
    return model;
}

ModelConfig llama70b() { return shape(32000, 8192, 28672, 80, 64, 8, false); }
ModelConfig smol() { return shape(49152, 576, 1536, 30, 9, 3, true); }

double part(const MemoryEstimate& memory, std::string_view name) {
    for (const auto& [key, bytes] : memory.parts)
        if (key == name)
            return bytes;
    return 0;
}

LocalMachine twoCores(bool amx) {
    LocalMachine machine;
    machine.cpu = "Some CPU";
    machine.cores = 2;
    machine.memory_bytes = 24e9;
    machine.amx = amx;
    return machine;
}

PlanInput referenceCase() {
    return {loadConfig(ANNEAL_SOURCE_DIR "/presets/llama2-70b-8xh100.yaml")->config, llama70b(), std::nullopt,
            *loadCatalogue(ANNEAL_SOURCE_DIR "/presets/machines.yaml"), twoCores(false)};
}

PlanInput demoCase(bool amx) {
    PlanInput input{loadConfig(ANNEAL_SOURCE_DIR "/presets/smollm2-licences.yaml")->config, smol(),
                    DataCounts{}, *loadCatalogue(ANNEAL_SOURCE_DIR "/presets/machines.yaml"), twoCores(amx)};
    auto& data = *input.data;
    data.rows = 340;
    data.tokens = 99000;
    data.supervised_tokens = 15000;
    data.sequences = 132;
    data.longest_row = 420;
    data.validation_rows = 78;
    data.validation_tokens = 20000;
    data.basis = "the prepared data";
    return input;
}

} // namespace

class TestPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void baseBytesAreThePublishedOnes() {
        RunConfig config;
        config.hardware.sharding = "replicate";
        const RankMachine machine{true, 80e9, 2, 1};
        const auto memory = estimateMemory(llama70b(), config, machine, 2048);
        // 80 layers of 427.8 MB codes and 13.6 MB scales are 35.3 GB.
        QVERIFY(std::abs(part(memory, "base_codes") / 80 - 427.8e6) < 0.1e6);
        QVERIFY(std::abs(part(memory, "base_scales") / 80 - 13.6e6) < 0.05e6);
        // Rank 16 on all linears trains 207 M parameters.
        QVERIFY(std::abs(loraParameters(llama70b(), config.lora) - 207.1e6) < 0.1e6);
        QCOMPARE(part(memory, "optimizer"), 2 * part(memory, "lora_weights"));
        QCOMPARE(part(memory, "lora_weights"), 4 * loraParameters(llama70b(), config.lora));
        const double sum =
            std::accumulate(memory.parts.begin(), memory.parts.end(), 0.0,
                            [](double total, const auto& item) { return total + item.second; });
        QCOMPARE(memory.total_bytes, sum);
    }

    void targetsDecideTheAdaptersSize() {
        LoraSettings lora;
        lora.target_modules = {"q_proj", "v_proj"};
        QCOMPARE(loraParameters(smol(), lora), 30.0 * 16 * ((576 + 576) + (576 + 192)));
        lora.target_modules = {"all-linear"};
        QCOMPARE(loraParameters(smol(), lora), 4884480.0);
    }

    void shardingDividesTheBase() {
        RunConfig config;
        const RankMachine machine{true, 80e9, 2, 8};
        config.hardware.sharding = "replicate";
        const auto whole = estimateMemory(llama70b(), config, machine, 2048);
        config.hardware.sharding = "shard";
        const auto shared = estimateMemory(llama70b(), config, machine, 2048);
        QCOMPARE(part(shared, "base_codes") * 8, part(whole, "base_codes"));
        QVERIFY(shared.sharded && !whole.sharded && part(shared, "gathered_layers") > 0);
        config.hardware.sharding = "auto";
        QVERIFY(!estimateMemory(llama70b(), config, machine, 2048).sharded);
        QVERIFY(estimateMemory(llama70b(), config, {true, 40e9, 2, 8}, 2048).sharded);
    }

    void checkpointingTradesMemory() {
        RunConfig config;
        const RankMachine machine{true, 80e9, 2, 1};
        config.training.gradient_checkpointing = "off";
        const auto off = estimateMemory(llama70b(), config, machine, 2048);
        config.training.gradient_checkpointing = "on";
        const auto on = estimateMemory(llama70b(), config, machine, 2048);
        QVERIFY(part(on, "activations") * 8 < part(off, "activations"));
        config.training.gradient_checkpointing = "auto";
        QVERIFY(estimateMemory(llama70b(), config, machine, 2048).gradient_checkpointing);
        QVERIFY(!estimateMemory(smol(), config, machine, 2048).gradient_checkpointing);
    }

    void memoryReactsToEachSetting() {
        RunConfig config;
        config.training.gradient_checkpointing = "on";
        const RankMachine machine{true, 80e9, 2, 1};
        const auto total = [&](const RunConfig& c) {
            return estimateMemory(llama70b(), c, machine, 2048).total_bytes;
        };
        const double before = total(config);
        auto larger = config;
        larger.lora.rank = 64;
        QVERIFY(total(larger) > before + 9e9);
        larger = config;
        larger.training.per_device_batch_size = 8;
        QVERIFY(total(larger) > before);
        larger = config;
        larger.data.max_length = 4096;
        QVERIFY(total(larger) > before);
        larger = config;
        larger.quantization.type = "none";
        QVERIFY(total(larger) > before + 90e9);
        auto shortRows = config;
        shortRows.data.packing = false;
        QVERIFY2(estimateMemory(llama70b(), shortRows, machine, 100).total_bytes < before,
                 "unpacked rows are as long as they are");
    }

    void flopsAreFourOrSixN() {
        LoraSettings none;
        none.target_modules = {};
        const auto model = llama70b();
        const double n = static_cast<double>(model.linearParameters() + model.vocab_size * model.hidden_size);
        QCOMPARE(flopsPerToken(model, none, false, {}), 4 * n);
        QVERIFY(std::abs(flopsPerToken(model, none, true, {}) / (6 * n) - 1) < 0.01);
        QVERIFY(flopsPerToken(model, none, true, {2048, 1}) > flopsPerToken(model, none, true, {}));
        QVERIFY(flopsPerToken(model, {}, false, {}) > 4 * n);
        const double head = double(model.vocab_size) * double(model.hidden_size);
        QCOMPARE(flopsPerToken(model, none, false, {0, 0.25}), 4 * (n - 0.75 * head));
    }

    void theReferenceCaseIsPlannedWithoutWeightsOrData() {
        const auto plan = makePlan(referenceCase());
        QVERIFY2(plan.memory.fits && plan.memory.sharded, plan.machine.c_str());
        QVERIFY(plan.memory.total_bytes > 10e9 && plan.memory.total_bytes < 40e9);
        QCOMPARE(plan.ranks, 8);
        QCOMPARE(plan.sequences_per_step, 256.0);
        QCOMPARE(plan.time.steps, 537.0);
        QCOMPARE(plan.time.tokens, 537.0 * 256 * 2048);
        // The reported 2,150 tokens/s of a PCIe node and the published 786 a GPU both lie in the range.
        const double slow = plan.time.tokens / plan.time.seconds_high,
                     fast = plan.time.tokens / plan.time.seconds_low;
        QVERIFY2(slow > 1500 && slow < 3000 && fast > 6288, std::to_string(slow).c_str());
        QVERIFY(plan.time.seconds_low < plan.time.seconds && plan.time.seconds < plan.time.seconds_high);
        QVERIFY(plan.time.basis.find("roofline") != std::string::npos &&
                plan.time.basis.find("6N") != std::string::npos);
        QCOMPARE(plan.cost.front().provider, std::string("Lambda"));
        QVERIFY(*plan.cost.front().total < 5000);
        QVERIFY(std::none_of(plan.problems.begin(), plan.problems.end(),
                             [](const Problem& problem) { return problem.severity != Severity::Note; }));
    }

    void costsAreComparedOverProviders() {
        const auto plan = makePlan(referenceCase());
        QVERIFY(plan.cost.size() >= 25);
        double last = 0;
        bool fits = true;
        for (std::size_t i = 1; i < plan.cost.size(); ++i) {
            const auto& option = plan.cost[i];
            QVERIFY(option.fits <= fits);
            QVERIFY(option.fits != fits || *option.total >= last);
            fits = option.fits;
            last = *option.total;
            QVERIFY(std::abs(*option.total / *option.per_million_tokens * 1e6 - plan.time.tokens) < 1);
            QVERIFY(!option.source.empty() && !option.date.empty());
        }
    }

    void withoutDataOrStepsTimeIsUnknownButMemoryIsNot() {
        auto input = referenceCase();
        input.config.training.max_steps.reset();
        const auto json = toJson(makePlan(input));
        QVERIFY(json["memory"]["per_gpu_bytes"].get<double>() > 1e9);
        for (const auto* key : {"tokens", "steps", "seconds_low", "seconds", "seconds_high"})
            QVERIFY2(json["time"][key].is_null(), key);
        QVERIFY(json["cost"][0]["total"].is_null() && json["cost"][0]["hours"].is_null());
        QVERIFY(json["time"]["basis"].get<std::string>().starts_with("unknown"));
    }

    void theDemoRunsOnThisMachine() {
        for (const bool amx : {true, false}) {
            const auto plan = makePlan(demoCase(amx));
            QVERIFY2(plan.machine.find("this machine") != std::string::npos, plan.machine.c_str());
            QVERIFY(plan.memory.fits && plan.memory.total_bytes < 6e9);
            QVERIFY(plan.time.seconds_low > 30 && plan.time.seconds_high < 3 * 3600);
            QCOMPARE(plan.cost.front().provider, std::string("this machine"));
            QVERIFY(*plan.cost.front().total < 1);
        }
        QVERIFY(makePlan(demoCase(true)).time.seconds < makePlan(demoCase(false)).time.seconds);
    }

    void stepsFollowEpochsAndBatch() {
        auto input = demoCase(true);
        input.config.training.epochs = 2;
        input.config.training.per_device_batch_size = 5;
        input.config.training.gradient_accumulation_steps = 2;
        const auto plan = makePlan(input);
        QCOMPARE(plan.time.steps, 28.0); // ceil(132 / 10) = 14 an epoch
        QCOMPARE(plan.time.tokens, 198000.0);
        QVERIFY(std::any_of(plan.problems.begin(), plan.problems.end(),
                            [](const Problem& problem) { return problem.key == "training.epochs"; }));
    }

    void localGpusAreUsed() {
        auto input = demoCase(false);
        input.machine.gpus = {{"NVIDIA H100 80GB HBM3", 85e9}, {"NVIDIA H100 80GB HBM3", 85e9}};
        auto plan = makePlan(input);
        QCOMPARE(plan.ranks, 2);
        QVERIFY(plan.time.basis.find("989 TFLOP/s a GPU") != std::string::npos);
        input.config.hardware.gpus = "1";
        QCOMPARE(makePlan(input).ranks, 1);
        input.config.hardware.device = "cpu";
        QVERIFY(makePlan(input).time.basis.find("a core") != std::string::npos);
    }

    void budgetAndMemoryAreWarnedOf() {
        auto input = referenceCase();
        input.config.cost.budget = 100;
        const auto plan = makePlan(input);
        QVERIFY(std::any_of(plan.problems.begin(), plan.problems.end(), [](const Problem& problem) {
            return problem.key == "cost.budget" && problem.severity == Severity::Warning;
        }));
        input = demoCase(false);
        input.machine.memory_bytes = 1e9;
        const auto tight = makePlan(input);
        QVERIFY(!tight.memory.fits);
        QVERIFY(tight.problems.front().text.find("needs about") != std::string::npos);
    }

    void absurdSettingsGiveNoAbsurdNumbers() {
        auto input = demoCase(true);
        input.config.training.per_device_batch_size = 0;
        input.config.training.gradient_accumulation_steps = -3;
        input.config.training.epochs = 0;
        input.config.lora.rank = -1;
        input.config.hardware.ranks = "0";
        input.config.quantization.block_size = 0;
        const auto text = dumpJson(toJson(makePlan(input)));
        QVERIFY2(text.find("NaN") == std::string::npos && text.find("Infinity") == std::string::npos,
                 text.c_str());
    }

    void jsonHasTheStableFields() {
        const auto json = toJson(makePlan(referenceCase()));
        for (const auto* key : {"per_gpu_bytes", "parts"})
            QVERIFY2(json["memory"].contains(key), key);
        for (const auto* key : {"tokens", "steps", "seconds_low", "seconds", "seconds_high", "basis"})
            QVERIFY2(json["time"].contains(key), key);
        for (const auto* key : {"provider", "machine", "fits", "hours", "total", "currency",
                                "per_million_tokens", "source", "date"})
            QVERIFY2(json["cost"][0].contains(key), key);
    }

    void readsTheMachine() {
        const auto machine = detectMachine(
            "processor\t: 0\nmodel name\t: Fast CPU @ 2 GHz\nflags\t\t: fpu amx_tile amx_bf16 sse\n",
            "MemTotal:       24000000 kB\n");
        QCOMPARE(machine.cpu, std::string("Fast CPU @ 2 GHz"));
        QVERIFY(machine.amx);
        QCOMPARE(machine.memory_bytes, 24000000.0 * 1024);
        QVERIFY(!detectMachine("flags : amx_bf16x\n", "").amx);
        QVERIFY(detectMachine().cores >= 1 && detectMachine().memory_bytes > 0);
    }
};

QTEST_APPLESS_MAIN(TestPlan)
#include "test_plan.moc"
