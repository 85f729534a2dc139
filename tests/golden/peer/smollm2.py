"""QLoRA of the real SmolLM2-135M: logits and 20 steps on licence texts, on its NF4 base in fp32 (data/smollm2)."""

import torch

from . import adapter, smoltokenizer
from .base import DATA, generator, licenseSentences, saveJson, saveTensors
from .logits import logits
from .loop import evaluate, train
from .lora import SETTINGS as TINY_SETTINGS
from .model import ggufFolder, loadFloat32, loadNf4

FOLDER = DATA / "smollm2"
PAD, EOS = 2, 2
STEPS, ROWS, MICRO_BATCH, ACCUMULATION, LENGTH = 20, 8, 2, 2, 96
SETTINGS = TINY_SETTINGS | {"peak_learning_rate": 2e-3}
POSITIONS = (0, 1, 7, 31, 94)
TOP = 16
GENERATED = 24


def rows() -> list[dict]:
    """Paragraphs of a licence, up to 96 tokens with EOS; every third row trains its second half alone."""
    tokenizer, made = smoltokenizer.tokenizer(), []
    texts = [t for t in licenseSentences("MPL-1.1") if len(t.split()) > 24][:ROWS]
    for number, text in enumerate(texts):
        ids = tokenizer.encode(text, add_special_tokens=False).ids[: LENGTH - 1] + [EOS]
        prompt = len(ids) // 2 if number % 3 == 2 else 0
        made.append({"input_ids": ids, "labels": [-100] * prompt + ids[prompt:]})
    return made


def order() -> list:
    """Shuffled epochs over the 8 rows, two steps each."""
    g, size = generator(43), MICRO_BATCH * ACCUMULATION
    numbers = [n for _ in range(STEPS * size // ROWS) for n in torch.randperm(ROWS, generator=g).tolist()]
    batches = [numbers[i:i + MICRO_BATCH] for i in range(0, len(numbers), MICRO_BATCH)]
    return [batches[i * ACCUMULATION:(i + 1) * ACCUMULATION] for i in range(STEPS)]


def attach(model):
    adapted = adapter.attach(model, r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"])
    adapter.initialise(adapted, 42, 0.02)
    return adapted


def slices(found: torch.Tensor) -> list[dict]:
    """Largest logits and the logarithm of the sum of exponentials at some positions."""
    made = []
    for position in POSITIONS:
        values, ids = found[position].topk(TOP)
        made.append({"position": position, "top_ids": ids.tolist(), "top_logits": values.tolist(),
                     "logsumexp": found[position].logsumexp(0).item()})
    return made


@torch.no_grad()
def greedy(model, ids: list[int]) -> dict:
    """Greedy continuation and the smallest lead of a chosen token over the next best."""
    ids, lead = list(ids), float("inf")
    start = len(ids)
    for _ in range(GENERATED):
        best = logits(model, torch.tensor(ids))[-1].topk(2)
        lead = min(lead, (best.values[0] - best.values[1]).item())
        ids.append(best.indices[0].item())
    return {"prompt_ids": ids[:start], "generated_ids": ids[start:], "smallest_lead": lead,
            "text": smoltokenizer.tokenizer().decode(ids[start:], skip_special_tokens=False)}


def makeLogits(data: list[dict], folder) -> None:
    ids = torch.tensor(next(r["input_ids"] for r in data if len(r["input_ids"]) == LENGTH))
    found = {"input_ids": ids.tolist()}
    plain = loadFloat32(folder)
    found["bf16_weights"] = {"slices": slices(logits(plain, ids))}
    del plain
    base = loadNf4(folder)
    question = smoltokenizer.tokenizer().encode(
        "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n").ids
    found["nf4_double"] = {"slices": slices(logits(base, ids)), "loss": evaluate(base, data, PAD),
                           "greedy": greedy(base, question)}
    adapted = attach(base)
    found["nf4_double_with_adapter"] = {"slices": slices(logits(adapted.eval(), ids)),
                                        "loss": evaluate(adapted, data, PAD)}
    saveJson(FOLDER / "logits.json", found, indent=1)


def make() -> None:
    folder = ggufFolder(smoltokenizer.GGUF)
    data, steps = rows(), order()
    saveJson(FOLDER / "batches.json", {"pad_token_id": PAD, "rows": data, "steps": steps})
    makeLogits(data, folder)
    model = attach(loadNf4(folder))
    adapter.save(model, FOLDER / "init", "HuggingFaceTB/SmolLM2-135M-Instruct")
    result = train(model, data, steps, PAD, SETTINGS["peak_learning_rate"], SETTINGS["warmup_steps"])
    gradients = {adapter.fileName(n): g for n, g in result.pop("first_gradients").items()}
    saveTensors(FOLDER / "first_gradients.safetensors", gradients)
    assert result["loss"][-1] < 0.85 * result["loss"][0], result["loss"]
    saveJson(FOLDER / "training.json", {
        **SETTINGS, **result, "evaluation_after": evaluate(model, data, PAD),
        "first_gradient_norms": {n: g.norm().item() for n, g in gradients.items()},
        "final_adapter_norms": {n: t.norm().item() for n, t in adapter.tensors(model).items()}}, indent=1)
