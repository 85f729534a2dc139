"""A small SentencePiece model with byte fallback, of Llama's settings, trained on licence texts (data/legal.model)."""

import io

import sentencepiece

from .base import DATA, licenseSentences

SOURCES = ("MPL-1.1", "MPL-2.0", "Apache-2.0", "GPL-2", "Artistic")


def make() -> None:
    sentences = iter([s for name in SOURCES for s in licenseSentences(name)])
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=sentences, model_writer=model, model_type="bpe", vocab_size=1500, byte_fallback=True,
        split_digits=True, normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=True,
        allow_whitespace_only_pieces=True, character_coverage=0.9999, num_threads=1, minloglevel=2)
    (DATA / "legal.model").write_bytes(model.getvalue())
