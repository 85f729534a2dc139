#include "core/schema/field_builder.h"

namespace anneal::schema {

namespace {

using C = RunConfig;
using E = EvaluationSettings;
using K = CheckpointSettings;

Rows checkpointRows() {
    return {
        Row::of<&C::checkpoint, &K::every_steps>(
            "checkpoint.every_steps", "Save every",
            "Steps between two checkpoints; below 1 a share of the run, 0 never by steps.")
            .from(0)
            .upTo(1e9)
            .unit("steps")
            .aka({"save_steps", "saves_per_epoch", "save_interval", "checkpoint_every", "save_freq",
                  "save_every", "save_strategy", "checkpointing_steps"}),
        Row::of<&C::checkpoint, &K::every_minutes>(
            "checkpoint.every_minutes", "Save after",
            "Also saves when the last checkpoint is this old; 0 never does.")
            .from(0)
            .upTo(1e6)
            .unit("min")
            .expert()
            .aka({"save_minutes"}),
        Row::of<&C::checkpoint, &K::keep>("checkpoint.keep", "Keep",
                                          "So many of the latest checkpoints stay; the best one always does.")
            .from(1)
            .upTo(1e6)
            .unit("checkpoints")
            .expert()
            .aka({"save_total_limit", "keep_last", "max_checkpoints", "keep_checkpoint_max"}),
    };
}

Rows evaluationRows() {
    return {
        Row::of<&C::evaluation, &E::every_steps>(
            "evaluation.every_steps", "Evaluate every",
            "Steps between two evaluations; below 1 a share of the run, 0 only at start and end.")
            .from(0)
            .upTo(1e9)
            .unit("steps")
            .aka({"eval_steps", "evals_per_epoch", "eval_interval", "evaluation_steps", "eval_freq",
                  "val_check_interval", "eval_every", "eval_strategy", "evaluation_strategy", "do_eval"}),
        Row::of<&C::evaluation, &E::at_start>(
            "evaluation.at_start", "Evaluate the base",
            "Measures the model before the first step, as the line to beat.")
            .aka({"eval_on_start", "eval_first", "eval_at_start", "evaluate_before_training"}),
        Row::of<&C::evaluation, &E::max_rows>(
            "evaluation.max_rows", "Rows to evaluate",
            "At most so many validation rows are taken, so that evaluation stays short.")
            .from(1)
            .upTo(1e9)
            .unit("rows")
            .aka({"max_eval_samples", "eval_samples", "max_val_samples", "eval_max_samples",
                  "eval_table_size"}),
        Row::wordsOf<&C::evaluation, &E::metrics>(
            "evaluation.metrics", "Metrics",
            "What is computed; all but loss and perplexity generate answers.")
            .choices({"loss", "perplexity", "f1", "exact_match", "citation", "rouge_l", "bleu"})
            .aka({"compute_metrics", "metric", "eval_metrics", "metric_for_best_model",
                  "eval_causal_lm_metrics", "predict_with_generate", "compute_accuracy"}),
        Row::of<&C::evaluation, &E::prompts>(
            "evaluation.prompts", "Sample prompts",
            "Answered by the model at each evaluation, to be read beside the curves.")
            .aka({"sample_prompts", "eval_prompts", "generation_prompts"}),
        Row::of<&C::evaluation, &E::max_new_tokens>("evaluation.max_new_tokens", "Answer length",
                                                    "Generated answers end after so many tokens.")
            .from(1)
            .upTo(1 << 20)
            .unit("tokens")
            .expert()
            .aka({"max_length_inference", "generation_max_length", "eval_max_new_tokens",
                  "max_generation_length"}),
        Row::of<&C::evaluation, &E::early_stopping, &EarlyStoppingSettings::patience>(
            "evaluation.early_stopping.patience", "Stop early after",
            "Ends the run after so many evaluations without improvement; 0 never does.")
            .from(0)
            .upTo(1e6)
            .unit("evaluations")
            .expert()
            .aka({"early_stopping_patience", "early_stopping_steps", "patience"}),
        Row::of<&C::evaluation, &E::early_stopping, &EarlyStoppingSettings::min_delta>(
            "evaluation.early_stopping.min_delta", "Smallest improvement",
            "The validation loss must fall by this much to count as better.")
            .from(0)
            .upTo(100)
            .expert()
            .when("evaluation.early_stopping.patience>0")
            .aka({"early_stopping_threshold", "early_stopping_min_delta"}),
    };
}

} // namespace

void appendEvaluationFields(std::vector<Field>& table) {
    append(table, "Checkpoints", checkpointRows());
    append(table, "Evaluation", evaluationRows());
}

} // namespace anneal::schema
