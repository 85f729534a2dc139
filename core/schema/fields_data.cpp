#include "core/schema/field_builder.h"

namespace anneal::schema {

void appendDataFields(std::vector<Field>& table) {
    using C = RunConfig;
    using D = DataSettings;
    append(table, "Data",
           {Row::of<&C::data, &D::train>(
                "data.train", "Training data",
                "Files with rows to train on; weight says how often a file is seen in an epoch.")
                .choices({"auto", "messages", "alpaca", "prompt_completion", "question_answer", "text",
                          "token_ids"})
                .aka({"dataset", "datasets", "train_file", "train_dataset", "dataset_name", "dataset_dir",
                      "train_data", "dataset_path", "data_path", "train_dataframe", "train_files",
                      "pretraining_dataset"}),
            Row::of<&C::data, &D::validation>(
                "data.validation", "Validation",
                "Rows held out to measure progress: 0 for none, a share of the training rows, or a file.")
                .known({"0", "0.02", "0.05", "0.1"})
                .aka({"val_size", "val_set_size", "eval_dataset", "test_datasets", "validation_file",
                      "eval_size", "test_size", "validation_split", "validation_split_percentage",
                      "eval_file", "validation_size", "validation_data", "valid_file"}),
            Row::of<&C::data, &D::template_source>(
                "data.template", "Chat template",
                "auto takes the model's own, none joins the texts as they are, or a Jinja file.")
                .known({"auto", "none"})
                .aka({"chat_template", "prompt_template", "chat_template_path", "chat_template_jinja",
                      "template_file", "chat_template_strategy"}),
            Row::of<&C::data, &D::loss_on>(
                "data.loss_on", "Loss on",
                "Which tokens are learned: every one, all answers (completion), or the last answer of a row.")
                .choices({"all", "completion", "last"})
                .aka({"train_on_inputs", "train_on_prompt", "completion_only_loss", "assistant_only_loss",
                      "mask_history", "train_on_input", "train_on_responses_only", "mask_prompt",
                      "mask_inputs", "roles_to_train", "train_on_completions_only"}),
            Row::of<&C::data, &D::max_length>(
                "data.max_length", "Maximum length",
                "Longer rows are cut; rows of raw text are split into blocks of this length.")
                .from(8)
                .upTo(1 << 20)
                .unit("tokens")
                .aka({"cutoff_len", "sequence_len", "max_seq_length", "max_seq_len", "model_max_length",
                      "block_size", "seq_length", "seq_len", "context_length", "max_sequence_length",
                      "max_source_length", "max_tokens"}),
            Row::of<&C::data, &D::packing>("data.packing", "Packing",
                                           "Puts several short rows into one sequence, kept apart in "
                                           "attention, so that no padding is computed.")
                .aka({"sample_packing", "neat_packing", "pack", "packed", "eval_sample_packing",
                      "group_by_length", "pad_to_sequence_len"}),
            Row::of<&C::data, &D::shuffle>("data.shuffle", "Shuffle",
                                           "Takes the rows in a new random order each epoch.")
                .expert()
                .aka({"shuffle_dataset", "shuffle_merged_datasets", "disable_shuffling"}),
            Row::of<&C::data, &D::system_prompt>("data.system_prompt", "System prompt",
                                                 "Put before rows that have no system turn of their own.")
                .prose()
                .expert()
                .aka({"default_system", "system", "system_message", "default_system_message"})});
}

} // namespace anneal::schema
