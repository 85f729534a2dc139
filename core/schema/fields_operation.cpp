#include "core/schema/field_builder.h"

namespace anneal::schema {

using C = RunConfig;

void appendHardwareFields(std::vector<Field>& table) {
    using H = HardwareSettings;
    append(
        table, "Hardware",
        {Row::of<&C::hardware, &H::device>("hardware.device", "Device",
                                           "auto takes the GPUs if there are any.")
             .choices({"auto", "cpu", "cuda"})
             .aka({"use_cpu", "no_cuda", "accelerator", "device_map"}),
         Row::listTextOf<&C::hardware, &H::gpus>(
             "hardware.gpus", "GPUs", "all, free (no other process on them), a count, or a list such as 0,2.")
             .known({"all", "free"})
             .when("hardware.device!=cpu")
             .aka(
                 {"n_gpu", "num_gpus", "devices", "gpu_ids", "gpu_ids_list", "cuda_visible_devices", "ngpu"}),
         Row::of<&C::hardware, &H::ranks>("hardware.ranks", "Processes",
                                          "auto starts one for each GPU, or one on a CPU.")
             .known({"auto"})
             .expert()
             .aka({"nproc_per_node", "num_processes", "world_size", "num_proc", "nproc"}),
         Row::of<&C::hardware, &H::sharding>("hardware.sharding", "Base model",
                                             "replicate holds the whole base on each GPU, shard a part of "
                                             "each layer; auto shards what does not fit.")
             .choices({"auto", "replicate", "shard"})
             .expert()
             .aka({"fsdp", "fsdp_config", "deepspeed", "sharding_strategy", "ds_config",
                   "tensor_parallel_size"}),
         Row::of<&C::hardware, &H::nodes>("hardware.nodes", "Machines",
                                          "Machines of the cluster that train together.")
             .from(1)
             .upTo(65536)
             .expert()
             .aka({"nnodes", "num_nodes", "num_machines"}),
         Row::of<&C::hardware, &H::threads>("hardware.threads", "Threads",
                                            "CPU threads of each process; auto divides the cores.")
             .known({"auto"})
             .expert()
             .aka({"num_threads", "omp_num_threads", "cpu_threads"}),
         Row::of<&C::hardware, &H::timeout_seconds>(
             "hardware.timeout_seconds", "Time limit of an exchange",
             "A process that waits longer for the others ends the run resumable.")
             .above(0)
             .upTo(1e6)
             .unit("s")
             .expert()
             .aka({"ddp_timeout", "timeout", "nccl_timeout"}),
         Row::of<&C::hardware, &H::max_restarts>("hardware.max_restarts", "Restarts",
                                                 "So often the run is started again after a crash.")
             .from(0)
             .upTo(1000)
             .expert()
             .aka({"restarts", "auto_resume", "retries"})});
}

static void appendCostFields(std::vector<Field>& table) {
    using K = CostSettings;
    append(
        table, "Cost",
        {Row::of<&C::cost, &K::provider>(
             "cost.provider", "Provider",
             "A provider of the price catalogue; empty for a machine of your own.")
             .aka({"cloud", "cloud_provider"}),
         Row::of<&C::cost, &K::hourly_rate>("cost.hourly_rate", "Hourly rate",
                                            "Price of one machine for an hour; wins over the catalogue.")
             .from(0)
             .upTo(1e6)
             .unit("per h")
             .aka({"price_per_hour", "hourly_price", "rate", "price"}),
         Row::of<&C::cost, &K::currency>("cost.currency", "Currency", "Three letters, such as USD.")
             .known({"USD", "EUR", "GBP", "JPY"})
             .expert(),
         Row::of<&C::cost, &K::budget>("cost.budget", "Budget",
                                       "What the run may cost; a projection beyond it is shown as a warning.")
             .above(0)
             .upTo(1e12)
             .aka({"max_cost", "cost_limit", "max_budget"})});
}

void appendOperationFields(std::vector<Field>& table) {
    appendCostFields(table);
    using M = MonitoringSettings;
    append(table, "Monitoring",
           {Row::of<&C::monitoring, &M::prometheus>("monitoring.prometheus", "Prometheus",
                                                    "Address (host:port) at which metrics can be scraped.")
                .expert()
                .aka({"prometheus_port", "metrics_port", "use_prometheus"}),
            Row::of<&C::monitoring, &M::tensorboard>("monitoring.tensorboard", "TensorBoard files",
                                                     "Writes event files beside the run.")
                .expert()
                .aka({"report_to", "logging_dir", "use_tensorboard", "log_with", "plot_loss",
                      "logging_steps"})});
    using N = NotifySettings;
    append(table, "Notifications",
           {Row::wordsOf<&C::notify, &N::on>("notify.on", "Notify when",
                                             "Ends of a run that are worth a message.")
                .choices({"finished", "failed", "stopped", "interrupted"})
                .expert(),
            Row::of<&C::notify, &N::command>("notify.command", "Notify by command",
                                             "Run with the news as its input.")
                .expert(),
            Row::of<&C::notify, &N::webhook>("notify.webhook", "Notify by webhook",
                                             "Address that gets the news as JSON.")
                .expert()
                .aka({"webhook_url", "slack_webhook"})});
    using X = OnExitSettings;
    append(
        table, "At the end",
        {Row::of<&C::on_exit, &X::command>("on_exit.command", "Command at the end",
                                           "Run after the end, for example to power the rented machine off.")
             .expert()
             .aka({"shutdown", "post_command", "shutdown_command"}),
         Row::of<&C::on_exit, &X::delay_minutes>("on_exit.delay_minutes", "Delay of the command",
                                                 "Time to step in before the command is run.")
             .from(0)
             .upTo(1e5)
             .unit("min")
             .expert()});
}

} // namespace anneal::schema
