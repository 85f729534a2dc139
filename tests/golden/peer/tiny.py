"""Two tiny random Llama models with tokenizers, as transformers saves them (data/tiny-llama*).

Every stored weight is exactly a bf16 number, also in the float32 file: so it makes no difference whether a
reader quantizes from the file's type or from bf16.
"""

import json

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from .base import DATA, generator, licenseSentences, saveJson

VOCABULARY = 320
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
LLAMA3_SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
                r"|\s*[\r\n]+|\s+(?!\S)|\s+")
CHATML = ("{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + "
          "'<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


def trainTokenizer(preTokenizer, ignoreMerges: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignoreMerges))
    tokenizer.pre_tokenizer = preTokenizer
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(licenseSentences("MPL-1.1"), trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    return tokenizer


def smolStyleTokenizer() -> PreTrainedTokenizerFast:
    """Single digits, then the split of GPT-2: SmolLM2's kind. pad is another token than eos."""
    tokenizer = trainTokenizer(pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]), False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>",
                                   chat_template=CHATML)


def llama3StyleTokenizer() -> PreTrainedTokenizerFast:
    """The split of Llama 3, `ignore_merges`, a BOS by template, an added token that is not special."""
    tokenizer = trainTokenizer(pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3_SPLIT), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]), True)
    tokenizer.add_tokens([AddedToken("[CITE]", special=False, normalized=False)])
    bos = SPECIAL[0]
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, 0)])])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=bos, eos_token="<|im_end|>",
                                   chat_template="{{ bos_token }}" + CHATML)


def fillRandomly(model, seed: int) -> None:
    """Weights large enough that attention, gates and logits are far from their linear range; norms around 1."""
    g = generator(seed)
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=g)
        if "norm" in name:
            values = 1 + 0.2 * values
        elif "lm_head" in name:
            values *= 1.5 / parameter.shape[1] ** 0.5
        elif "embed" in name:
            values *= 0.25 if model.config.tie_word_embeddings else 1.0
        else:
            values *= 1.2 / parameter.shape[1] ** 0.5
        parameter.data.copy_(values.bfloat16())


def configuration(**changes) -> LlamaConfig:
    settings = dict(vocab_size=VOCABULARY, hidden_size=64, intermediate_size=192, num_hidden_layers=2,
                    num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256, rms_norm_eps=1e-5,
                    bos_token_id=None, eos_token_id=2, pad_token_id=0, tie_word_embeddings=False)
    return LlamaConfig(**(settings | changes))


def makePlain() -> None:
    """bf16, one file, untied head, configuration as transformers 5 writes it."""
    folder = DATA / "tiny-llama"
    model = LlamaForCausalLM(configuration(rope_parameters={"rope_type": "default", "rope_theta": 10000.0}))
    fillRandomly(model, 11)
    model.to(torch.bfloat16).save_pretrained(folder)
    smolStyleTokenizer().save_pretrained(folder)


def useVersion4Keys(path) -> None:
    """The spelling of transformers 4, which most published folders have: rope_theta, rope_scaling, torch_dtype."""
    config = json.loads(path.read_text())
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope.pop("rope_theta")
    config["rope_scaling"] = rope
    config["torch_dtype"] = config.pop("dtype")
    config["transformers_version"] = "4.46.0"
    saveJson(path, config, indent=2)


def spellMergesAsStrings(path) -> None:
    """The older spelling of merges: "a b" in place of ["a", "b"]."""
    content = json.loads(path.read_text(encoding="utf-8"))
    content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    saveJson(path, content, indent=1)


def makeTied() -> None:
    """float32, shards, tied embeddings, llama3 rope scaling, a head size other than hidden / heads."""
    folder = DATA / "tiny-llama-tied"
    rope = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
    model = LlamaForCausalLM(configuration(
        rope_parameters=rope, hidden_size=40, intermediate_size=64, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=1, head_dim=16, max_position_embeddings=512, tie_word_embeddings=True, bos_token_id=0,
        vocab_size=VOCABULARY + 1, pad_token_id=None))
    fillRandomly(model, 12)
    model.save_pretrained(folder, max_shard_size="64KB")
    llama3StyleTokenizer().save_pretrained(folder)
    useVersion4Keys(folder / "config.json")
    spellMergesAsStrings(folder / "tokenizer.json")


def make() -> None:
    makePlain()
    makeTied()
