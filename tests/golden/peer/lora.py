"""QLoRA of the tiny model: 20 steps of PEFT on the NF4 base of bitsandbytes in fp32 (data/lora)."""

import torch
from transformers import AutoTokenizer

from . import adapter
from .base import DATA, generator, licenseSentences, saveJson, saveTensors
from .loop import evaluate, train
from .model import linears4bit, loadFloat32, loadNf4

BASE = "tiny-llama"
FOLDER = DATA / "lora"
PAD = 0
STEPS, MICRO_BATCH, ACCUMULATION = 20, 4, 2
SETTINGS = {"peak_learning_rate": 5e-3, "warmup_steps": 2, "steps": STEPS, "max_grad_norm": 1.0, "weight_decay": 0.0,
            "adam_beta1": 0.9, "adam_beta2": 0.999, "adam_epsilon": 1e-8, "scheduler": "cosine"}


def rows() -> list[dict]:
    """32 rows of 6 to 60 tokens of a licence; a share of each row's start is not trained, as a prompt is not."""
    tokenizer = AutoTokenizer.from_pretrained(DATA / BASE)
    g = generator(31)
    made = []
    for text in licenseSentences("MPL-2.0")[:32]:
        length = int(torch.randint(6, 61, (1,), generator=g))
        prompt = int(torch.randint(0, length // 2, (1,), generator=g))
        ids = tokenizer(text)["input_ids"][: length - 1] + [tokenizer.eos_token_id]
        made.append({"input_ids": ids, "labels": [-100] * prompt + ids[prompt:]})
    return made


def order(count: int, seed: int) -> list:
    """Row numbers per step and micro-batch: shuffled epochs; no micro-batch holds a row twice."""
    g, numbers = generator(seed), []
    while len(numbers) < STEPS * MICRO_BATCH * ACCUMULATION:
        numbers += torch.randperm(count, generator=g).tolist()
    batches = [numbers[i:i + MICRO_BATCH] for i in range(0, len(numbers), MICRO_BATCH)]
    return [batches[i * ACCUMULATION:(i + 1) * ACCUMULATION] for i in range(STEPS)]


def start(double=True, **changes):
    model = adapter.attach(loadNf4(DATA / BASE, double), **({"r": 4, "lora_alpha": 8, "target_modules": "all-linear"}
                                                            | changes))
    adapter.initialise(model, 32, 0.05)
    return model


def trainOnce(data, steps, bf16Weights=False) -> tuple:
    model = start()
    if bf16Weights:
        for module in linears4bit(model).values():
            module.weight.quant_state.dtype = torch.bfloat16
    return model, train(model, data, steps, PAD, SETTINGS["peak_learning_rate"], SETTINGS["warmup_steps"])


def makeTraining() -> None:
    data = rows()
    steps = order(len(data), 33)
    saveJson(FOLDER / "batches.json", {"pad_token_id": PAD, "rows": data, "steps": steps})
    model = start()
    adapter.save(model, FOLDER / "init", BASE)
    before = evaluate(model, data, PAD)
    model, result = trainOnce(data, steps)
    gradients = {adapter.fileName(n): g for n, g in result.pop("first_gradients").items()}
    saveTensors(FOLDER / "first_gradients.safetensors", gradients)
    saveTensors(FOLDER / "final_adapter.safetensors", adapter.tensors(model))
    fallen = 1 - result["loss"][-1] / result["loss"][0]
    after = evaluate(model, data, PAD)
    assert fallen >= 0.15 and after < 0.85 * before, (before, after, result["loss"])
    assert all(float(g.norm()) > 1e-4 for g in gradients.values())
    other = trainOnce(data, steps, bf16Weights=True)[1]["loss"]
    saveJson(FOLDER / "training.json", {**SETTINGS, **result, "evaluation_before": before, "evaluation_after": after,
                                        "loss_with_bf16_backward_weights": other}, indent=1)


@torch.no_grad()
def makeVariants() -> None:
    """Logits of the same A and B under rsLoRA, under DoRA, and merged into the plain fp32 model."""
    ids = torch.tensor([rows()[1]["input_ids"]])
    found = {"input_ids": ids[0]}
    for kind, changes in {"lora": {}, "rslora": {"use_rslora": True}, "dora": {"use_dora": True}}.items():
        found[f"{kind}.logits"] = start(**changes).eval()(input_ids=ids).logits[0]
    dora = adapter.tensors(start(use_dora=True))
    found |= {f"dora.{k}": v for k, v in dora.items() if "magnitude" in k}
    plain = adapter.attach(loadFloat32(DATA / BASE), r=4, lora_alpha=8, target_modules="all-linear")
    adapter.initialise(plain, 32, 0.05)
    found["merged_float32.logits"] = plain.merge_and_unload().eval()(input_ids=ids).logits[0]
    saveTensors(FOLDER / "variants.safetensors", found)


def make() -> None:
    makeTraining()
    makeVariants()
