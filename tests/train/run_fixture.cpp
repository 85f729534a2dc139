#include "tests/train/run_fixture.h"

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/runfolder/run_folder.h"

namespace anneal::test {

namespace {

/// Rows of unequal length with prompt and completion from a small vocabulary of ids.
std::string tokenRows(int rows) {
    std::string text;
    for (int row = 0; row < rows; ++row) {
        const auto length = 6 + randomBits(1, static_cast<std::uint64_t>(row)) % 20;
        Json ids = Json::array(), labels = Json::array();
        for (std::uint64_t i = 0; i < length; ++i) {
            const auto id = static_cast<int>(3 + randomBits(2, i, static_cast<std::uint64_t>(row)) % 40);
            ids.push_back(id);
            labels.push_back(i < 3 ? -100 : id);
        }
        text += dumpJson({{"input_ids", ids}, {"labels", labels}}) + "\n";
    }
    return text;
}

template <class Kind>
std::vector<Kind> eventsOf(const fs::path& run) {
    std::vector<Kind> found;
    const auto events = readEvents(RunFolder(run));
    if (events)
        for (const auto& record : *events)
            if (const auto* event = std::get_if<Kind>(&record.event))
                found.push_back(*event);
    return found;
}

} // namespace

RunFixture::RunFixture() : root_(directory_.path().toStdString()) {
    qputenv("ANNEAL_CACHE_DIR", (directory_.path() + "/cache").toUtf8());
    data_ = writeRows("train.jsonl", 120);
    validation_ = writeRows("validation.jsonl", 8);
}

fs::path RunFixture::writeRows(const std::string& name, int rows) const {
    const auto path = root_ / name;
    (void)writeFileAtomic(path, tokenRows(rows));
    return path;
}

fs::path RunFixture::makeRun(const std::string& id, const std::string& trainingExtra) const {
    const auto run = root_ / "runs" / id;
    (void)makePrivateFolder(run);
    const std::string yaml =
        "model: {path: " ANNEAL_SOURCE_DIR "/tests/golden/data/tiny-llama, dtype: float32}\n"
        "lora: {rank: 4, alpha: 8, dropout: 0.05}\n"
        "data: {train: [{path: " +
        data_.string() + "}], validation: " + validation_.string() +
        ", template: none, max_length: 64, packing: true, shuffle: true}\n"
        "training: {epochs: 3, per_device_batch_size: 2, gradient_accumulation_steps: 2, "
        "learning_rate: 5.0e-3, warmup_ratio: 0.1" +
        trainingExtra +
        "}\n"
        "checkpoint: {every_steps: 3, keep: 2}\n"
        "evaluation: {every_steps: 5}\n";
    (void)writeFileAtomic(run / "run.yaml", yaml);
    return run;
}

std::vector<StepEvent> steps(const fs::path& run) { return eventsOf<StepEvent>(run); }
std::vector<EvaluationEvent> evaluations(const fs::path& run) { return eventsOf<EvaluationEvent>(run); }

} // namespace anneal::test
