"""NF4 with and without double quantization: what bitsandbytes makes of small matrices (data/nf4.*)."""

import torch
from bitsandbytes import functional as F

from .base import DATA, generator, saveJson, saveTensors


def unpack(packed: torch.Tensor, count: int) -> torch.Tensor:
    """Codes 0-15 in element order; the even element is the high nibble."""
    flat = packed.reshape(-1)
    return torch.stack([flat >> 4, flat & 15], 1).reshape(-1)[:count].long()


def flatDequantize(codes, absmax, code, shape) -> torch.Tensor:
    """map[code] * absmax by flat index: right for every row length, unlike the CPU kernel of bitsandbytes."""
    scale = absmax.repeat_interleave(64)[: codes.numel()]
    return (code[codes] * scale).reshape(shape)


def thresholdTies(code: torch.Tensor) -> torch.Tensor:
    """Blocks of absmax 1 that hold each fp32 midpoint of neighbouring codes and its two float neighbours."""
    middle = (code[:-1] + code[1:]) / 2
    rows = []
    for values in (middle, torch.nextafter(middle, torch.full_like(middle, 2.0)),
                   torch.nextafter(middle, torch.full_like(middle, -2.0))):
        row = torch.zeros(64)
        row[0], row[1:16] = 1.0, values
        rows.append(row)
    return torch.stack(rows)


def cases(code: torch.Tensor) -> dict[str, torch.Tensor]:
    g = generator(1)
    normal = lambda *shape, std=0.05: torch.randn(*shape, generator=g) * std
    zeroBlock = normal(4, 64)
    zeroBlock[1] = 0
    outliers = normal(8, 128)
    outliers[3, 17], outliers[6, 90] = 2.5, -3.75
    return {
        "bf16_64x128": normal(64, 128).bfloat16(),
        "f32_24x192": normal(24, 192),
        "bf16_row160": normal(24, 160).bfloat16(),
        "f32_row40_ragged": normal(7, 40),
        "bf16_odd_count": normal(5, 13).bfloat16(),
        "bf16_zero_block": zeroBlock.bfloat16(),
        "bf16_outliers": outliers.bfloat16(),
        "f32_ties": thresholdTies(code),
        "bf16_many_blocks": (normal(260, 320) * (0.2 + torch.rand(260, 1, generator=g))).bfloat16(),
        "bf16_transposed": normal(96, 64).bfloat16().t(),
    }


def checkRaggedEnd(name, weight, codes, absmax, code) -> None:
    """The CPU path divides in a ragged last block and multiplies elsewhere: no case may depend on that."""
    flat = weight.contiguous().float().reshape(-1)
    scale = absmax.repeat_interleave(64)[: flat.numel()]
    middle = (code[:-1] + code[1:]) / 2
    inverse = torch.where(scale > 0, 1 / scale, torch.zeros_like(scale))
    live = scale > 0
    for value in (flat * inverse, torch.where(live, flat / scale, flat)):
        expected = torch.bucketize(value, middle)
        assert torch.equal(expected[live], codes[live]), name


def quantizeCase(name: str, weight: torch.Tensor, code: torch.Tensor) -> dict[str, torch.Tensor]:
    count, shape = weight.numel(), weight.shape
    packed, plain = F.quantize_4bit(weight.contiguous(), quant_type="nf4", blocksize=64)
    packedNested, nested = F.quantize_4bit(weight.contiguous(), quant_type="nf4", blocksize=64,
                                           compress_statistics=True)
    assert torch.equal(packed, packedNested)
    codes = unpack(packed, count)
    checkRaggedEnd(name, weight, codes, plain.absmax, code)
    state2 = nested.state2
    inner = state2.code[nested.absmax.long()] * state2.absmax.repeat_interleave(256)[: nested.absmax.numel()]
    absmaxNested = inner + nested.offset
    full = flatDequantize(codes, plain.absmax, code, shape)
    if shape[-1] % 64 == 0:
        assert torch.equal(full, F.dequantize_4bit(packed, F.QuantState(
            absmax=plain.absmax, shape=shape, dtype=torch.float32, blocksize=64, code=plain.code, quant_type="nf4")))
    return {
        "weight": weight, "packed": packed.reshape(-1), "absmax": plain.absmax, "dequantized": full,
        "nested.absmax_codes": nested.absmax, "nested.absmax": state2.absmax,
        "nested.offset": nested.offset.reshape(1).float(), "nested.absmax_values": absmaxNested,
        "nested.dequantized": flatDequantize(codes, absmaxNested, code, shape),
    }


def make() -> None:
    code = F.get_4bit_type("nf4", device="cpu")
    tensors = {"code": code, "dynamic_map": F.create_dynamic_map(signed=True).float()}
    described = {}
    for name, weight in cases(code).items():
        for key, value in quantizeCase(name, weight, code).items():
            tensors[f"{name}.{key}"] = value
        described[name] = {"shape": list(weight.shape), "dtype": str(weight.dtype).removeprefix("torch."),
                           "zero_blocks": [1] if "zero_block" in name else []}
    saveTensors(DATA / "nf4.safetensors", tensors)
    saveJson(DATA / "nf4.json", {"block_size": 64, "nested_block_size": 256, "cases": described}, indent=1)
