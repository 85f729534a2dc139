#include "core/schema/field_builder.h"

namespace anneal::schema {

namespace {

using C = RunConfig;
using T = TrainingSettings;

Rows lengthAndBatchRows() {
    return {
        Row::of<&C::training, &T::epochs>("training.epochs", "Epochs",
                                          "How often the training rows are seen.")
            .above(0)
            .upTo(10000)
            .unit("epochs")
            .aka({"num_train_epochs", "num_epochs", "n_epochs", "max_epochs", "epoch", "nb_epochs"}),
        Row::of<&C::training, &T::max_steps>(
            "training.max_steps", "Maximum steps",
            "Ends the run after so many optimizer steps, whatever the epochs say.")
            .from(1)
            .upTo(1e9)
            .unit("steps")
            .expert()
            .aka({"num_steps", "max_train_steps", "iters", "max_iters", "total_steps", "num_training_steps"}),
        Row::of<&C::training, &T::per_device_batch_size>("training.per_device_batch_size", "Batch size",
                                                         "Sequences that one device computes at a time.")
            .from(1)
            .upTo(65536)
            .unit("sequences")
            .aka({"micro_batch_size", "per_device_train_batch_size", "batch_size", "train_batch_size",
                  "micro_batch", "per_gpu_train_batch_size", "train_micro_batch_size_per_gpu"}),
        Row::of<&C::training, &T::per_device_eval_batch_size>(
            "training.per_device_eval_batch_size", "Evaluation batch size",
            "Sequences that one device evaluates at a time.")
            .from(1)
            .upTo(65536)
            .unit("sequences")
            .expert()
            .aka({"eval_batch_size", "val_batch_size", "validation_batch_size", "per_gpu_eval_batch_size"}),
        Row::of<&C::training, &T::gradient_accumulation_steps>(
            "training.gradient_accumulation_steps", "Accumulation",
            "Batches whose gradients are summed before the optimizer takes a step.")
            .from(1)
            .upTo(65536)
            .unit("batches")
            .aka({"grad_accum", "accumulation_steps", "grad_accumulation", "accumulate_grad_batches",
                  "ga_steps", "grad_accumulation_steps", "gradient_accumulation", "accumulation"}),
    };
}

Rows scheduleRows() {
    return {
        Row::of<&C::training, &T::learning_rate>("training.learning_rate", "Learning rate",
                                                 "Peak of the schedule; 1e-5 to 5e-4 is usual for LoRA.")
            .above(0)
            .upTo(10)
            .aka({"lr", "max_lr", "peak_lr", "base_lr", "lr_max"}),
        Row::of<&C::training, &T::scheduler>("training.scheduler", "Schedule",
                                             "How the learning rate falls after the warm-up.")
            .choices({"cosine", "linear", "constant"})
            .aka({"lr_scheduler_type", "lr_scheduler", "schedule", "lr_schedule", "lr_decay_style"}),
        Row::of<&C::training, &T::min_lr_ratio>("training.min_lr_ratio", "Lowest rate",
                                                "Floor of the schedule as a share of the learning rate.")
            .from(0)
            .upTo(1)
            .expert()
            .when("training.scheduler!=constant")
            .aka({"cosine_min_lr_ratio", "min_lr_rate", "lr_end_ratio", "min_lr", "lr_scheduler_kwargs"}),
        Row::of<&C::training, &T::warmup_ratio>("training.warmup_ratio", "Warm-up",
                                                "Share of the run over which the rate rises from zero.")
            .from(0)
            .upTo(1)
            .aka({"warmup", "warmup_proportion", "warmup_fraction", "warmup_epochs"}),
        Row::of<&C::training, &T::warmup_steps>("training.warmup_steps", "Warm-up steps",
                                                "Length of the warm-up in steps; wins over the share.")
            .from(0)
            .upTo(1e9)
            .unit("steps")
            .expert()
            .aka({"num_warmup_steps", "lr_warmup_steps", "warmup_iters"}),
    };
}

Rows optimizerRows() {
    return {
        Row::of<&C::training, &T::optimizer>("training.optimizer", "Optimizer",
                                             "AdamW with moments in float32.")
            .choices({"adamw"})
            .expert()
            .aka({"optim", "optimizer_type", "optimizer_name"}),
        Row::of<&C::training, &T::adam_beta1>("training.adam_beta1", "Adam beta 1",
                                              "Decay of the mean of gradients.")
            .from(0)
            .below(1)
            .expert()
            .aka({"beta1", "adam_b1", "betas"}),
        Row::of<&C::training, &T::adam_beta2>("training.adam_beta2", "Adam beta 2",
                                              "Decay of the mean of squared gradients.")
            .from(0)
            .below(1)
            .expert()
            .aka({"beta2", "adam_b2"}),
        Row::of<&C::training, &T::adam_epsilon>("training.adam_epsilon", "Adam epsilon",
                                                "Keeps the division by small gradients stable.")
            .above(0)
            .upTo(1)
            .expert()
            .aka({"eps", "epsilon", "adam_eps"}),
        Row::of<&C::training, &T::weight_decay>("training.weight_decay", "Weight decay",
                                                "Pulls the adapter's weights towards zero in each step.")
            .from(0)
            .upTo(1)
            .expert()
            .aka({"wd", "decay", "l2"}),
        Row::of<&C::training, &T::max_grad_norm>(
            "training.max_grad_norm", "Gradient clipping",
            "Longer gradients are shortened to this norm; 0 never clips.")
            .from(0)
            .upTo(1e6)
            .expert()
            .aka({"gradient_clipping", "clip_grad", "grad_clip", "max_norm", "gradient_clip_val",
                  "gradient_clip"}),
        Row::of<&C::training, &T::gradient_checkpointing>(
            "training.gradient_checkpointing", "Gradient checkpointing",
            "Computes activations again in the backward pass: far less memory for about a third more time.")
            .choices({"auto", "on", "off"})
            .expert()
            .aka({"use_gradient_checkpointing", "activation_checkpointing", "grad_checkpoint",
                  "gradient_checkpointing_kwargs", "disable_gradient_checkpointing",
                  "enable_activation_checkpointing"}),
        Row::of<&C::training, &T::seed>(
            "training.seed", "Seed",
            "Decides every random draw: order, initialisation, dropout and sampling.")
            .from(0)
            .upTo(9007199254740992.0)
            .expert()
            .aka({"random_seed", "data_seed", "manual_seed", "random_state"}),
    };
}

} // namespace

void appendTrainingFields(std::vector<Field>& table) {
    append(table, "Training", lengthAndBatchRows());
    append(table, "Training", scheduleRows());
    append(table, "Training", optimizerRows());
}

} // namespace anneal::schema
