"""Loading a model folder as the peer does: plain fp32, or an NF4 base of bitsandbytes computing in fp32."""

from pathlib import Path

import bitsandbytes as bnb
import torch
from bitsandbytes import functional as F
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from transformers.utils import logging

from .base import ROOT
from .nf4 import flatDequantize, unpack

logging.disable_progress_bar()


def loadFloat32(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


def loadNf4(folder, doubleQuant: bool = True):
    """Base weights in bf16, then NF4 of every linear but the head; all else upcast to fp32, as
    `prepare_model_for_kbit_training` does. Dequantized weights are fp32 (see useFloat32)."""
    settings = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.float32,
                                  bnb_4bit_use_double_quant=doubleQuant)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16, attn_implementation="eager",
                                                 quantization_config=settings, device_map={"": "cpu"})
    for parameter in model.parameters():
        parameter.requires_grad = False
        if not isinstance(parameter, bnb.nn.Params4bit):
            parameter.data = parameter.data.float()
    useFloat32(model)
    return model.eval()


def linears4bit(model) -> dict:
    return {n: m for n, m in model.named_modules() if isinstance(m, bnb.nn.Linear4bit)}


def useFloat32(model) -> None:
    """Forward dequantizes into the input's type already; backward and merging use the state's type, bf16 here.
    On AVX512-BF16 processors the flag keeps eval mode from repacking weights with bf16 scales."""
    for name, module in linears4bit(model).items():
        module.support_avx512bf16_for_cpu = False
        module.weight.quant_state.dtype = torch.float32
        assert torch.equal(F.dequantize_4bit(module.weight.data, module.weight.quant_state),
                           dequantized(module)), f"{name}: the CPU kernel is wrong for this row length"


def dequantized(module) -> torch.Tensor:
    """fp32 weight of a Linear4bit by flat indexing, independent of the kernels of bitsandbytes."""
    state, absmax = module.weight.quant_state, module.weight.quant_state.absmax
    if state.nested:
        inner = state.state2
        absmax = inner.code[absmax.long()] * inner.absmax.repeat_interleave(256)[: absmax.numel()] + state.offset
    return flatDequantize(unpack(module.weight.data, state.shape.numel()), absmax, state.code, state.shape)


def ggufFolder(gguf: Path) -> Path:
    """A model folder with the weights of a GGUF file in bf16, read by transformers; made once, kept in .deps."""
    folder = ROOT / ".deps/peer-base" / f"{gguf.stem}-{gguf.stat().st_size}"
    if not (folder / "model.safetensors").exists():
        read = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
        if hasattr(read.config, "quantization_config"):  # a model read from GGUF refuses to be saved otherwise
            del read.config.quantization_config
        model = AutoModelForCausalLM.from_config(read.config)
        model.load_state_dict(read.state_dict())
        model.to(torch.bfloat16).save_pretrained(folder)
    return folder
