#include "tests/run/run_harness.h"

#include "core/base/system.h"
#include "core/runfolder/registry.h"

#include <QElapsedTimer>
#include <QTest>
#include <csignal>

namespace anneal::test {

namespace {

constexpr int programMilliseconds = 60000;

QStringList toQt(const std::vector<std::string>& arguments) {
    QStringList list;
    for (const auto& argument : arguments)
        list << QString::fromStdString(argument);
    return list;
}

std::string tokenRows(int rows) {
    std::string text;
    for (int row = 0; row < rows; ++row)
        text += R"({"input_ids": [3, 4, 5, 6, )" + std::to_string(7 + row) +
                R"(], "labels": [-100, -100, 5, 6, )" + std::to_string(7 + row) + "]}\n";
    return text;
}

/// The program is linked, not copied, where the file system allows it: its folder has no real engine.
void placeProgram(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::create_hard_link(from, to, error);
    if (error)
        fs::copy_file(from, to);
}

/// Ends what still answers for a run.
void endRun(const RunFolder& folder) {
    const auto state = readState(folder);
    if (state && isActive(state->status) && state->pid > 0 &&
        processStartTime(static_cast<int>(state->pid)) == state->pid_start_time)
        ::kill(static_cast<pid_t>(state->pid), SIGKILL);
}

} // namespace

Json ProgramResult::json() const {
    auto parsed = parseJson(output, "the output");
    return parsed ? *std::move(parsed) : Json();
}

RunHarness::RunHarness()
    : root_(directory_.path().toStdString()), environment_(QProcessEnvironment::systemEnvironment()) {
    placeProgram(ANNEAL_BIN_DIR "/anneal", root_ / "anneal");
    environment_.insert("ANNEAL_ENGINE", QStringLiteral(ANNEAL_FAKE_ENGINE));
    environment_.insert("ANNEAL_CACHE_DIR", directory_.path() + "/cache");
    environment_.insert("ANNEAL_RUNS_DIR", directory_.path() + "/runs");
    environment_.insert("ANNEAL_PRESETS_DIR", QStringLiteral(ANNEAL_SOURCE_DIR "/presets"));
    (void)writeFileAtomic(root_ / "train.jsonl", tokenRows(20));
    (void)writeFileAtomic(root_ / "validation.jsonl", tokenRows(4));
}

RunHarness::~RunHarness() {
    for (const auto& folder : listRuns(runs()))
        endRun(folder);
}

fs::path RunHarness::writeConfig(const std::string& name, const std::string& extra) const {
    const auto path = root_ / name;
    (void)writeFileAtomic(
        path, "model: {path: " ANNEAL_SOURCE_DIR "/tests/golden/data/tiny-llama, dtype: float32}\n"
              "data: {train: [{path: train.jsonl}], validation: validation.jsonl, template: none, "
              "max_length: 64}\n" +
                  extra);
    return path;
}

RunFolder RunHarness::makeRun(const std::string& id, const std::string& extra) const {
    const auto folder = createRunFolder(runs(), id, "");
    if (!folder)
        qFatal("%s", folder.error().text().c_str());
    auto text = readFile(writeConfig("run-" + id + ".yaml", extra));
    for (const std::string name : {"train.jsonl", "validation.jsonl"})
        text->replace(text->find(name), name.size(), (root_ / name).string());
    (void)writeFileAtomic(folder->config(), *text);
    RunState state;
    state.created = unixSeconds();
    (void)writeState(*folder, state);
    return *folder;
}

std::unique_ptr<QProcess> RunHarness::start(const std::vector<std::string>& arguments) const {
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(environment_);
    process->start(QString::fromStdString(program()), toQt(arguments));
    process->waitForStarted();
    return process;
}

ProgramResult RunHarness::run(const std::vector<std::string>& arguments, const std::string& input) const {
    const auto process = start(arguments);
    process->write(QByteArray::fromStdString(input));
    process->closeWriteChannel();
    ProgramResult result;
    if (process->waitForFinished(programMilliseconds) && process->exitStatus() == QProcess::NormalExit)
        result.code = process->exitCode();
    result.output = process->readAllStandardOutput().toStdString();
    result.errors = process->readAllStandardError().toStdString();
    return result;
}

bool eventually(const std::function<bool()>& done, double seconds) {
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (static_cast<double>(timer.elapsed()) > seconds * 1000)
            return false;
        QTest::qWait(20);
    }
    return true;
}

} // namespace anneal::test
