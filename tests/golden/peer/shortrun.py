"""A short real run for the round trip: SmolLM2 on paragraphs of a licence, validated on those of another."""

import json
from pathlib import Path

from . import smoltokenizer
from .base import licenseSentences
from .smollm2 import EOS

LENGTH = 128


def writeRows(path: Path, license: str, count: int) -> None:
    """Pre-tokenized rows; the first fifth of each is not trained."""
    tokenizer = smoltokenizer.tokenizer()
    with path.open("w", encoding="utf-8") as file:
        for text in licenseSentences(license)[:count]:
            ids = tokenizer.encode(text, add_special_tokens=False).ids[: LENGTH - 1] + [EOS]
            prompt = len(ids) // 5
            file.write(json.dumps({"input_ids": ids, "labels": [-100] * prompt + ids[prompt:]}) + "\n")


def write(folder: Path) -> Path:
    """Data and configuration; JSON is YAML too."""
    writeRows(folder / "train.jsonl", "MPL-1.1", 32)
    writeRows(folder / "validation.jsonl", "MPL-2.0", 16)
    config = {
        "name": "peer-check", "model": {"path": str(smoltokenizer.GGUF)},
        "lora": {"rank": 8, "alpha": 16, "dropout": 0.05},
        "data": {"train": [{"path": "train.jsonl"}], "validation": "validation.jsonl", "max_length": LENGTH,
                 "packing": True},
        "training": {"max_steps": 12, "per_device_batch_size": 2, "gradient_accumulation_steps": 2,
                     "learning_rate": 0.002},
        "evaluation": {"every_steps": 6},
    }
    path = folder / "peer-check.yaml"
    path.write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    return path
