"""The training loop of the reference, by hand: what TRL and transformers do, with every step in view."""

import math

import torch
import torch.nn.functional as nn


def cosine(step: int, warmup: int, total: int) -> float:
    """Share of the peak learning rate at `step` (from 0); the first step of a warm-up has rate 0."""
    if step < warmup:
        return step / max(1, warmup)
    return max(0.0, 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup))))


def padded(rows: list[dict], pad: int):
    """Right padding to the longest row: input_ids, attention_mask, labels (-100 in the padding)."""
    longest = max(len(r["input_ids"]) for r in rows)
    fill = lambda values, value: values + [value] * (longest - len(values))
    return (torch.tensor([fill(r["input_ids"], pad) for r in rows]),
            torch.tensor([fill([1] * len(r["input_ids"]), 0) for r in rows]),
            torch.tensor([fill(r["labels"], -100) for r in rows]))


def tokenLosses(model, rows: list[dict], pad: int) -> torch.Tensor:
    """Sum of the cross-entropy over the supervised tokens of a batch, labels shifted by one."""
    ids, mask, labels = padded(rows, pad)
    logits = model(input_ids=ids, attention_mask=mask).logits.float()
    return nn.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100, reduction="sum")


def supervised(rows: list[dict]) -> int:
    return sum(label != -100 for row in rows for label in row["labels"][1:])


@torch.no_grad()
def evaluate(model, rows: list[dict], pad: int, batch: int = 8) -> float:
    """Mean loss over all supervised tokens of the rows."""
    model.eval()
    total = sum(float(tokenLosses(model, rows[i:i + batch], pad)) for i in range(0, len(rows), batch))
    return total / supervised(rows)


def train(model, rows: list[dict], steps: list, pad: int, learningRate: float, warmup: int) -> dict:
    """`steps` holds per optimizer step its micro-batches of row numbers. Loss and gradients of a step are divided by
    the supervised tokens of the whole step. Returns losses, norms before clipping, rates, and the first gradients."""
    parameters = {n: p for n, p in model.named_parameters() if p.requires_grad}
    optimizer = torch.optim.AdamW(parameters.values(), lr=0.0, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0)
    result = {"loss": [], "grad_norm": [], "learning_rate": [], "supervised_tokens": []}
    model.train()
    for index, microBatches in enumerate(steps):
        rate = learningRate * cosine(index, warmup, len(steps))
        tokens = sum(supervised([rows[i] for i in batch]) for batch in microBatches)
        loss = 0.0
        for batch in microBatches:
            part = tokenLosses(model, [rows[i] for i in batch], pad) / tokens
            part.backward()
            loss += part.item()
        if index == 0:
            result["first_gradients"] = {n: p.grad.clone() for n, p in parameters.items()}
        norm = torch.nn.utils.clip_grad_norm_(parameters.values(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        for key, value in zip(result, (loss, float(norm), rate, tokens)):
            result[key].append(value)
    return result
