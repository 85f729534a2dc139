// Speaks the protocol of core/protocol/serve.h with made-up runs, so that the window is tested without an
// engine. FAKE_SERVE chooses a misbehaviour: malformed, endless (a line without an end), chatty (floods
// standard error), silent (answers nothing after the greeting), newer (a later protocol). The method "crash"
// ends the process at once. FAKE_SERVE_LOG names a file to which every request is appended.
#include "core/base/text.h"
#include "core/protocol/events.h"
#include "core/protocol/serve.h"
#include "core/protocol/state.h"
#include "core/schema/config_io.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace anneal {
namespace {

constexpr double began = 1'790'000'000;
constexpr int stepsDone = 60;

void sendLine(const Json& json) { std::cout << dumpJson(json) << "\n" << std::flush; }

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

RunConfig runConfig() {
    RunConfig config;
    config.name = "legal-qa";
    config.tags = {"legal"};
    config.model.path = "/models/smol";
    config.data.train = {{"/data/train.jsonl", "messages", 1.0}};
    config.lora.rank = 64;
    return config;
}

RunSummary summary(const std::string& id) {
    RunSummary run;
    run.id = id;
    run.name = id;
    run.status = RunStatus::Running;
    run.step = stepsDone;
    run.max_steps = 100;
    run.epoch = 1.2;
    run.train_loss = 1.41;
    run.validation_loss = 1.43;
    run.base_validation_loss = 1.71;
    run.best = BestResult{40, 1.412};
    run.tokens = 123456;
    run.tokens_per_second = 2310;
    run.seconds = 600;
    run.seconds_left = TimeLeft{380, 420};
    run.cost = {1.25, 2.1, "USD"};
    run.folder = "/runs/" + id;
    run.model = "/models/smol";
    run.learning_rate = 2e-4;
    run.created = began;
    run.tags = {"legal"};
    return run;
}

Json runs() {
    auto running = summary("legal-qa"), failed = summary("70b-try"), finished = summary("smol-licences");
    failed.status = RunStatus::Failed;
    failed.reason = "The loss became NaN at step 312.";
    failed.train_loss = std::nan("");
    failed.created = began - 7200;
    failed.tags = {};
    failed.best.reset();
    finished.status = RunStatus::Finished;
    finished.step = 100;
    finished.created = began - 3600;
    return {{"runs", {toJson(running), toJson(finished), toJson(failed)}}};
}

/// Sixty steps with a NaN at 30, evaluations every 20, one superseded stretch that ended at 25.
std::vector<EventRecord> events() {
    std::vector<EventRecord> records;
    std::int64_t seq = 0;
    const auto add = [&](Event event) {
        records.push_back({began + 10.0 * static_cast<double>(seq), seq + 1, std::move(event)});
        ++seq;
    };
    const auto addStep = [&](int step, double loss) {
        StepEvent event;
        event.step = step;
        event.epoch = step / 50.0;
        event.loss = loss;
        event.learning_rate = 2e-4;
        event.grad_norm = 0.5 + 0.01 * step;
        event.tokens = 2048;
        event.tokens_per_second = 2300 + step;
        event.seconds = 1;
        add(event);
    };
    add(StartedEvent{"0.1.0", protocolVersion, 100, 50, 4'884'480, 134'515'008,
                     "cpu: test, 2 threads, float32", "float32"});
    add(EvaluationEvent{0, 1.71, 5.5, 4000, 2, false, Json::object()});
    for (int step = 1; step <= 25; ++step)
        addStep(step, 9);
    add(CheckpointEvent{20, "checkpoints/step-00000020", 19'000'000, 0.4});
    add(ResumedEvent{20, "the run was interrupted"});
    for (int step = 21; step <= stepsDone; ++step) {
        addStep(step, step == 30 ? std::nan("") : 1.4 + 1.0 / step);
        if (step % 20 == 0) {
            const double loss = step == 40 ? 1.412 : 1.43;
            add(EvaluationEvent{step, loss, std::exp(loss), 4000, 2, step == 40, {{"f1", 0.5}}});
            add(SampleEvent{step, "Which licence?", "The MPL. [MPL-2.0 §3.2]", 9});
        }
    }
    return records;
}

Json eventsJson() {
    Json list = Json::array();
    for (const auto& record : events())
        list.push_back(toJson(record));
    return list;
}

Json telemetry() {
    TelemetrySample sample;
    sample.t = began + 600;
    sample.host = "test-box";
    sample.cpu = 0.97;
    sample.memory_used = 3.1e9;
    sample.memory_total = 24e9;
    sample.disk_read = 0;
    sample.network_sent = 1200;
    return {{"samples", {toJson(sample)}}};
}

void follow(std::int64_t id) {
    const auto notify = [&](const char* notice, Json params) {
        sendLine(toJson(Notice{id, notice, std::move(params)}));
    };
    notify("events", {{"events", eventsJson()}, {"replay", true}});
    notify("telemetry", telemetry());
    notify("log", {{"lines", {"loading model", "training"}}});
    notify("summary", toJson(summary("legal-qa")));
}

Json plan() {
    return {
        {"memory",
         {{"per_gpu_bytes", 2'500'000'000},
          {"parts", {{"base_codes", 80'000'000}, {"activations", 1'900'000'000}, {"runtime", 520'000'000}}},
          {"available_bytes", 24'000'000'000},
          {"fits", true}}},
        {"time",
         {{"tokens", 1'200'000},
          {"steps", 120},
          {"seconds_low", 400},
          {"seconds", 500},
          {"seconds_high", 650},
          {"basis", "a typical machine of this kind"}}},
        {"cost",
         {{{"provider", "this machine"},
           {"machine", "test-box"},
           {"fits", true},
           {"hours", 0.14},
           {"total", 0.011},
           {"currency", "USD"},
           {"per_million_tokens", 0.01},
           {"source", "configuration"},
           {"date", nullptr}}}},
        {"machine", "test-box"},
        {"ranks", 1},
        {"trainable_parameters", 4'884'480},
        {"sequences_per_step", 32},
        {"problems", Json::array()}};
}

Json inspection(const Json& params) {
    const auto first = params.value("first", 0), count = std::min(params.value("count", 20), 5);
    Json rows = Json::array();
    for (int i = first; i < first + count && i < 5; ++i)
        rows.push_back({{"source", {{"file", "/data/train.jsonl"}, {"line", i + 1}}},
                        {"text", "<|user|>What?\n<|assistant|>That."},
                        {"input_ids", {1, 2, 3, 4}},
                        {"labels", {-100, -100, 3, 4}},
                        {"tokens", {"<|user|>", "What?\n", "That", "."}},
                        {"truncated_tokens", i == 2 ? 7 : 0}});
    return {{"rows", rows},
            {"summary",
             {{"rows", 5},
              {"tokens", 20},
              {"supervised_tokens", 10},
              {"truncated_rows", 1},
              {"rejected",
               {{{"file", "/data/train.jsonl"}, {"line", 6}, {"reason", "The row has no answer."}}}}}}};
}

Json withNewId(const Json& params) {
    return {{"id", params["config"].value("name", std::string()) + "-1"}, {"folder", "/runs/new"}};
}

Result<Json> answer(const std::string& method, const Json& params) {
    if (method == "machine")
        return Json{{"host", "test-box"},       {"cpu", "Test CPU"},     {"cores", 2},
                    {"memory", 24'000'000'000}, {"gpus", Json::array()}, {"runs_folder", "/runs"}};
    if (method == "validate")
        return toJson(validate(configFromJson(params["config"])));
    if (method == "detect")
        return Json{{"kind", "data"},
                    {"format", "messages"},
                    {"reason", "key \"messages\""},
                    {"rows", 48211},
                    {"columns", {"messages"}}};
    if (method == "model")
        return Json{{"family", "Llama"},
                    {"parameters", 134'515'008},
                    {"layers", 30},
                    {"hidden_size", 576},
                    {"template", true}};
    if (method == "inspect")
        return inspection(params);
    if (method == "plan")
        return plan();
    if (method == "yaml")
        return Json{{"yaml", writeConfig(configFromJson(params["config"]).config, true)},
                    {"command", "anneal run a.yaml"}};
    if (method == "presets")
        return Json{{"presets",
                     {{{"name", "small"},
                       {"title", "A small one"},
                       {"path", "/presets/small.yaml"},
                       {"config", configToJson(runConfig())}}}}};
    if (method == "load_config")
        return params.value("path", std::string()).ends_with("missing.yaml")
                   ? Result<Json>(invalidInput("Cannot read missing.yaml: No such file.", "Check the path."))
                   : Result<Json>(Json{{"config", configToJson(runConfig())}, {"problems", Json::array()}});
    if (method == "list")
        return runs();
    if (method == "show") {
        auto json = toJson(summary(params.value("run", std::string())));
        json["config"] = configToJson(runConfig());
        return json;
    }
    if (method == "start")
        return withNewId(params);
    if (method == "checkpoints")
        return Json{{"checkpoints",
                     {{{"step", 20}, {"bytes", 19'000'000}, {"validation_loss", 1.43}, {"best", false}},
                      {{"step", 40}, {"bytes", 19'000'000}, {"validation_loss", 1.412}, {"best", true}}}}};
    if (method == "generate")
        return Json{{"prompt", params["prompt"]},
                    {"text", "Echo: " + params.value("prompt", std::string())},
                    {"tokens", 5},
                    {"tokens_per_second", 12.5}};
    if (method == "export")
        return Json{{"format", params["format"]},
                    {"path", params["output"]},
                    {"files", {"adapter_config.json", "adapter_model.safetensors"}},
                    {"bytes", 19'000'000},
                    {"checked", {{"tensors", 420}}}};
    if (method == "stop" || method == "pause" || method == "resume" || method == "save" || method == "delete")
        return Json{{"outcome", "accepted"}};
    if (method == "save_config" || method == "unfollow")
        return Json::object();
    return invalidInput("There is no method '" + method + "'.");
}

void misbehave(const std::string& how) {
    if (how == "malformed")
        std::cout << "this is not JSON\n" << std::flush;
    if (how == "endless")
        for (const std::string block(1 << 20, 'x'); std::cout << block << std::flush;)
            continue;
    if (how == "chatty")
        for (int i = 0; i < 100'000; ++i)
            std::cerr << "complaint " << i << "\n";
}

int serve() {
    const auto how = environment("FAKE_SERVE");
    std::ofstream log(environment("FAKE_SERVE_LOG"), std::ios::app);
    const int protocol = how == "newer" ? protocolVersion + 1 : protocolVersion;
    sendLine({{"hello", {{"protocol", protocol}, {"version", "0.1.0"}, {"capabilities", Json::array()}}}});
    std::int64_t subscriptions = 0;
    for (std::string line; std::getline(std::cin, line);) {
        const auto json = parseJson(line, "request");
        Request request;
        if (!json || !fromJson(*json, request))
            return 2;
        log << line << std::endl;
        if (request.method == "crash")
            std::_Exit(9);
        misbehave(how);
        if (how == "silent")
            continue;
        if (!request.method.starts_with("follow")) {
            sendLine(answerJson(request.id, answer(request.method, request.params)));
            continue;
        }
        sendLine(answerJson(request.id, Json{{"subscription", ++subscriptions}}));
        if (request.method == "follow")
            follow(subscriptions);
        else
            sendLine(toJson(Notice{subscriptions, "runs", runs()}));
    }
    return 0;
}

} // namespace
} // namespace anneal

int main() { return anneal::serve(); }
