"""Logits of the tiny models in fp32: plain, NF4 and NF4 with double quantization (data/logits.*)."""

import torch

from .base import DATA, generator, saveJson, saveTensors
from .model import dequantized, linears4bit, loadFloat32, loadNf4

FOLDERS = ("tiny-llama", "tiny-llama-tied")
LENGTHS = (1, 24, 100)


def inputs(folder: str) -> list[torch.Tensor]:
    """Short and long rows; 100 positions pass the original length of the tied model's rope scaling."""
    g = generator(21)
    return [torch.randint(3, 320, (n,), generator=g) for n in LENGTHS]


@torch.no_grad()
def logits(model, ids: torch.Tensor) -> torch.Tensor:
    return model(input_ids=ids[None]).logits[0].float()


def checkAgainstDense(path, quantized, ids) -> None:
    """The NF4 model equals a plain one that holds the dequantized weights, so no kernel of the peer is at fault."""
    dense = loadFloat32(path)
    for name, module in linears4bit(quantized).items():
        dense.get_submodule(name).weight.data = dequantized(module)
    torch.testing.assert_close(logits(quantized, ids), logits(dense, ids), rtol=1e-5, atol=1e-5)


def make() -> None:
    tensors = {}
    for folder in FOLDERS:
        path = DATA / folder
        models = {"float32": loadFloat32(path), "nf4": loadNf4(path, False), "nf4_double": loadNf4(path)}
        checkAgainstDense(path, models["nf4_double"], inputs(folder)[1])
        for row, ids in enumerate(inputs(folder)):
            tensors[f"{folder}.{row}.input_ids"] = ids
            for kind, model in models.items():
                if row == 2:  # the last positions are enough of the long row
                    tensors[f"{folder}.{row}.{kind}"] = logits(model, ids)[-4:]
                else:
                    tensors[f"{folder}.{row}.{kind}"] = logits(model, ids)
    saveTensors(DATA / "logits.safetensors", tensors)
    saveJson(DATA / "logits.json", {"models": list(FOLDERS), "rows": list(LENGTHS),
                                    "kinds": ["float32", "nf4", "nf4_double"],
                                    "kept_positions": "all; the last 4 of row 2"}, indent=1)
