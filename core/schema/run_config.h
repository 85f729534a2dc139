#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace anneal {

// The configuration of a run as typed values. Names, nesting and defaults are those of the YAML file; every
// setting has its row in field_table.cpp, from which reader, writer, forms, validation and documentation
// come.

struct ModelSettings {
    std::string path;               ///< folder, GGUF file, or the name of a model in the local hub cache
    std::string dtype = "auto";     ///< compute type: auto | float32 | bfloat16
    std::string attention = "auto"; ///< auto | math | flash
};

struct QuantizationSettings {
    std::string type = "nf4"; ///< nf4 | none
    bool double_quant = true;
    std::int64_t block_size = 64;
};

struct LoraSettings {
    std::int64_t rank = 16;
    double alpha = 32;
    double dropout = 0.05;
    std::vector<std::string> target_modules = {"all-linear"};
    bool use_rslora = false;
    bool use_dora = false;
    std::optional<std::string> init_adapter; ///< folder of a PEFT adapter to start from
};

struct DataSource {
    std::string path;
    std::string format =
        "auto"; ///< auto | messages | alpaca | prompt_completion | question_answer | text | token_ids
    double weight = 1.0; ///< times this source is seen in an epoch
    bool operator==(const DataSource&) const = default;
};

struct DataSettings {
    std::vector<DataSource> train;
    std::string validation = "0.05";      ///< 0, a share below 1, or the path of a file
    std::string template_source = "auto"; ///< YAML key `template`: auto | none | file.jinja
    std::string loss_on = "completion";   ///< all | completion | last
    std::int64_t max_length = 2048;       ///< tokens
    bool packing = true;
    bool shuffle = true;
    std::string system_prompt; ///< put before rows that have no system turn; empty: none
};

struct TrainingSettings {
    double epochs = 3;
    std::optional<std::int64_t> max_steps;
    std::int64_t per_device_batch_size = 4;
    std::int64_t per_device_eval_batch_size = 8;
    std::int64_t gradient_accumulation_steps = 8;
    double learning_rate = 2e-4;
    std::string scheduler = "cosine"; ///< cosine | linear | constant
    double min_lr_ratio = 0;          ///< floor of the schedule as a share of learning_rate
    double warmup_ratio = 0.03;
    std::optional<std::int64_t> warmup_steps; ///< wins over warmup_ratio
    std::string optimizer = "adamw";
    double adam_beta1 = 0.9;
    double adam_beta2 = 0.999;
    double adam_epsilon = 1e-8;
    double weight_decay = 0;
    double max_grad_norm = 1.0;                  ///< 0: no clipping
    std::string gradient_checkpointing = "auto"; ///< auto | on | off
    std::int64_t seed = 42;
};

struct HardwareSettings {
    std::string device = "auto"; ///< auto | cpu | cuda
    std::string gpus = "all";    ///< all | free | a count | a list such as 0,2
    std::string ranks = "auto";
    std::string sharding = "auto"; ///< auto | replicate | shard
    std::int64_t nodes = 1;
    std::string threads = "auto";
    double timeout_seconds = 600;
    std::int64_t max_restarts = 2;
};

struct CheckpointSettings {
    double every_steps = 100;  ///< below 1: a share of the run
    double every_minutes = 20; ///< 0: never by time
    std::int64_t keep = 3;
};

struct EarlyStoppingSettings {
    std::int64_t patience = 0; ///< evaluations without improvement before the run ends; 0: off
    double min_delta = 0;      ///< improvement of validation loss that counts
};

struct EvaluationSettings {
    double every_steps = 100; ///< below 1: a share of the run; 0: only at start and end
    bool at_start = true;
    std::int64_t max_rows = 500;
    std::vector<std::string> metrics = {"loss",
                                        "perplexity"}; ///< loss, perplexity, f1, exact_match, citation, ...
    std::vector<std::string> prompts;                  ///< sampled at each evaluation
    std::int64_t max_new_tokens = 128;
    EarlyStoppingSettings early_stopping;
};

struct CostSettings {
    std::string provider;              ///< a row of the price catalogue; empty: this machine
    std::optional<double> hourly_rate; ///< per machine and hour; wins over the catalogue
    std::string currency = "USD";
    std::optional<double> budget;
};

struct MonitoringSettings {
    std::optional<std::string> prometheus; ///< host:port
    bool tensorboard = true;
};

struct NotifySettings {
    std::vector<std::string> on = {"finished", "failed"};
    std::optional<std::string> command;
    std::optional<std::string> webhook;
};

struct OnExitSettings {
    std::optional<std::string> command;
    double delay_minutes = 10;
};

/// Everything one run is told. Default-constructed, it is valid but for the paths of model and data.
struct RunConfig {
    std::string method = "sft";
    std::string name;
    std::vector<std::string> tags;
    std::string notes;
    ModelSettings model;
    QuantizationSettings quantization;
    LoraSettings lora;
    DataSettings data;
    TrainingSettings training;
    HardwareSettings hardware;
    CheckpointSettings checkpoint;
    EvaluationSettings evaluation;
    CostSettings cost;
    MonitoringSettings monitoring;
    NotifySettings notify;
    OnExitSettings on_exit;
};

} // namespace anneal
