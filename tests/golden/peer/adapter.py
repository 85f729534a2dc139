"""PEFT adapters: making one with a nonzero B, saving it, and naming its tensors as its file does."""

import json

import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict

from .base import generator, saveJson

FILE_NAME = "adapter_model.safetensors"


def attach(model, **settings):
    """A fresh adapter of fp32 tensors over the model; dropout 0."""
    config = LoraConfig(task_type="CAUSAL_LM", lora_dropout=0.0, bias="none", **settings)
    return get_peft_model(model, config)


@torch.no_grad()
def initialise(model, seed: int, spreadB: float) -> None:
    """A as PEFT draws it, U(-1/sqrt(in), 1/sqrt(in)); B normal, so that every gradient is nonzero at step 1."""
    g = generator(seed)
    for name, parameter in model.named_parameters():
        if "lora_A" in name:
            bound = parameter.shape[1] ** -0.5
            parameter.copy_((torch.rand(parameter.shape, generator=g) * 2 - 1) * bound)
        elif "lora_B" in name:
            parameter.copy_(torch.randn(parameter.shape, generator=g) * spreadB)


def fileName(parameter: str) -> str:
    return parameter.replace(".default.", ".")


def save(model, folder, base: str) -> None:
    """adapter_model.safetensors + adapter_config.json; the base is named without a path of this machine, and the
    target modules, a set in PEFT, are sorted."""
    model.peft_config["default"].base_model_name_or_path = base
    model.save_pretrained(folder, save_embedding_layers=False)
    (folder / "README.md").unlink(missing_ok=True)
    config = json.loads((folder / "adapter_config.json").read_text())
    config["target_modules"].sort()
    saveJson(folder / "adapter_config.json", config, indent=2)


def tensors(model) -> dict:
    return {k: v.clone() for k, v in get_peft_model_state_dict(model).items()}
