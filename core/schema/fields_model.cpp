#include "core/schema/field_builder.h"

namespace anneal::schema {

void appendGeneralFields(std::vector<Field>& table) {
    using C = RunConfig;
    append(table, "General",
           {Row::of<&C::method>("method", "Method",
                                "What kind of fine-tune this is: supervised fine-tuning (sft).")
                .choices({"sft"})
                .expert()
                .aka({"stage", "rl", "training_type"}),
            Row::of<&C::name>("name", "Name", "Names the run in lists; its folder is derived from it.")
                .aka({"run_name", "experiment_name", "wandb_name", "wandb_run_id"}),
            Row::wordsOf<&C::tags>("tags", "Tags", "Words by which the list of runs can be filtered."),
            Row::of<&C::notes>("notes", "Notes", "Free text that stays with the run.")
                .prose()
                .aka({"description", "comment"})});
}

static void appendModelGroup(std::vector<Field>& table) {
    using C = RunConfig;
    using M = ModelSettings;
    using Q = QuantizationSettings;
    append(
        table, "Model",
        {Row::of<&C::model, &M::path>("model.path", "Model",
                                      "Folder with config.json and safetensors files, a GGUF file, or the "
                                      "name of a model in the local "
                                      "Hugging Face cache.")
             .path()
             .aka({"model_name_or_path", "base_model", "model_name", "model_id",
                   "pretrained_model_name_or_path", "base_model_name_or_path", "model_path", "hub_model_id",
                   "base_model_config", "llm_backbone"}),
         Row::of<&C::model, &M::dtype>("model.dtype", "Compute type",
                                       "Number type of the matrix products; auto takes bfloat16 on GPUs and "
                                       "on CPUs with AMX, float32 elsewhere.")
             .choices({"auto", "float32", "bfloat16"})
             .expert()
             .aka({"torch_dtype", "bf16", "fp16", "fp32", "tf32", "bfloat16", "float16", "half", "precision",
                   "bnb_4bit_compute_dtype", "compute_dtype", "mixed_precision", "pure_bf16"}),
         Row::of<&C::model, &M::attention>(
             "model.attention", "Attention",
             "How attention is computed; auto takes the fastest that gives the right result.")
             .choices({"auto", "math", "flash"})
             .expert()
             .aka({"attn_implementation", "flash_attn", "flash_attention", "use_flash_attention_2",
                   "xformers_attention", "sdp_attention", "flash_attention_2", "attn_impl"}),
         Row::of<&C::quantization, &Q::type>("quantization.type", "Quantization",
                                             "How the frozen base is stored: nf4 takes about 4.1 bits a "
                                             "parameter, none keeps it in the compute type.")
             .choices({"nf4", "none"})
             .aka({"load_in_4bit", "load_in_8bit", "quantization_bit", "quantization_type",
                   "bnb_4bit_quant_type", "quantization_method", "adapter", "finetuning_type", "qlora",
                   "quant_type", "quantize"}),
         Row::of<&C::quantization, &Q::double_quant>(
             "quantization.double_quant", "Double quantization",
             "Quantizes the scales of the blocks too, which saves 0.37 bits a parameter.")
             .expert()
             .when("quantization.type=nf4")
             .aka({"bnb_4bit_use_double_quant", "double_quantization", "use_double_quant",
                   "use_nested_quant"}),
         Row::of<&C::quantization, &Q::block_size>(
             "quantization.block_size", "Block size",
             "Weights that share one scale; 64 is the only size so far.")
             .from(64)
             .upTo(64)
             .unit("weights")
             .expert()
             .when("quantization.type=nf4")
             .aka({"bnb_4bit_blocksize", "blocksize", "quant_block_size"})});
}

static void appendLoraGroup(std::vector<Field>& table) {
    using C = RunConfig;
    using L = LoraSettings;
    append(table, "LoRA",
           {Row::of<&C::lora, &L::rank>(
                "lora.rank", "Rank", "Width of the adapter: more learns more and costs memory in proportion.")
                .from(1)
                .upTo(4096)
                .aka({"r", "lora_r", "lora_rank", "lora_dim", "network_dim", "peft_lora_r"}),
            Row::of<&C::lora, &L::alpha>("lora.alpha", "Alpha",
                                         "Strength of the adapter: its output is multiplied by alpha / rank.")
                .above(0)
                .upTo(65536)
                .aka({"lora_alpha", "network_alpha"}),
            Row::of<&C::lora, &L::dropout>(
                "lora.dropout", "Dropout",
                "Share of the adapter's inputs that is left out at random in training.")
                .from(0)
                .below(1)
                .aka({"lora_dropout"}),
            Row::wordsOf<&C::lora, &L::target_modules>(
                "lora.target_modules", "Target modules",
                "Linear layers that get an adapter; all-linear takes every one but the head.")
                .known({"all-linear", "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj",
                        "down_proj"})
                .aka({"lora_target", "lora_target_modules", "lora_target_linear", "lora_modules",
                      "lora_modules_to_save", "modules", "target"}),
            Row::of<&C::lora, &L::use_rslora>(
                "lora.use_rslora", "Rank-stabilised scale",
                "Multiplies by alpha / sqrt(rank) instead, which suits high ranks.")
                .expert()
                .aka({"rslora", "peft_use_rslora", "lora_use_rslora", "rank_stabilized_lora"}),
            Row::of<&C::lora, &L::use_dora>(
                "lora.use_dora", "DoRA",
                "Learns direction and size of each weight row separately. Not available yet.")
                .expert()
                .aka({"dora", "peft_use_dora", "lora_use_dora"}),
            Row::of<&C::lora, &L::init_adapter>(
                "lora.init_adapter", "Start from adapter",
                "Folder of a PEFT adapter whose weights the training starts from.")
                .path()
                .expert()
                .aka({"adapter_name_or_path", "lora_model_dir", "adapter_path", "init_lora_weights",
                      "peft_model_id", "resume_adapter_file"})});
}

void appendModelFields(std::vector<Field>& table) {
    appendModelGroup(table);
    appendLoraGroup(table);
}

} // namespace anneal::schema
