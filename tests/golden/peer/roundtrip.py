"""The round trip: an adapter exported by Anneal, loaded by PEFT on the NF4 base of bitsandbytes, and its loss."""

import json
from dataclasses import dataclass
from pathlib import Path

from peft import PeftModel

from .engine import Engine, runConfig
from .loop import evaluate, supervised
from .model import ggufFolder, loadFloat32, loadNf4

TOLERANCE = 0.005


@dataclass
class Comparison:
    """One line of the table: a mean loss of the engine beside that of the peer on the same rows."""
    name: str
    engine: float
    peer: float

    @property
    def difference(self) -> float:
        return abs(self.engine / self.peer - 1)

    @property
    def agrees(self) -> bool:
        return self.difference <= TOLERANCE  # false for NaN too


def readRows(path: Path) -> list[dict]:
    """`{"input_ids", "labels"}` a line, or an object with "rows" as `anneal inspect --json` prints it."""
    text = path.read_text(encoding="utf-8")
    try:
        rows = json.loads(text)["rows"]
    except (json.JSONDecodeError, KeyError):
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [r for r in rows if supervised([r])]


def baseModel(path: Path, quantization: dict):
    """GGUF or model folder as the base of bitsandbytes, quantized as the run's configuration says."""
    folder = ggufFolder(path) if path.is_file() else path
    if quantization.get("type", "nf4") == "none":
        return loadFloat32(folder)
    return loadNf4(folder, quantization.get("double_quant", True))


def peerLosses(adapter: Path, model: Path, quantization: dict, rows: list[dict]) -> tuple[float, float]:
    """Mean losses of the base alone and with the adapter."""
    adapted = PeftModel.from_pretrained(baseModel(model, quantization), adapter)
    with adapted.disable_adapter():
        base = evaluate(adapted, rows, pad=0)
    return base, evaluate(adapted, rows, pad=0)


def checkAdapter(adapter: Path, model: Path, rows: list[dict], loss: float) -> list[Comparison]:
    return [Comparison("with adapter", loss, peerLosses(adapter, model, {}, rows)[1])]


def checkRun(engine: Engine, run: str, checkpoint: str, data: Path | None, maxRows: int,
             scratch: Path) -> tuple[list[dict], list[Comparison]]:
    """Exports the run's adapter and compares base and tuned loss over a data file (else the run's validation file)."""
    shown = engine.show(run)
    folder = Path(shown["folder"])
    config = runConfig(folder)
    own = Path(str(config["data"]["validation"]))
    data = data or (own if own.is_file() else None)
    if data is None:
        raise FileNotFoundError(f"The run {run} has no validation file of its own; name one with --data FILE.")
    rows = [r for r in engine.rows(folder, data) if supervised([r])]
    rows = rows[:maxRows] if maxRows else rows
    engine.export(run, checkpoint, scratch / "adapter")
    tuned = engine.evaluate(run, checkpoint, data, maxRows)
    base = engine.evaluate(run, "none", data, maxRows)
    if tuned["tokens"] != supervised(rows):
        raise ValueError(f"The engine evaluated {tuned['tokens']} tokens, the rows of inspect have {supervised(rows)}.")
    quantization = config.get("quantization") or {}
    peerBase, peerTuned = peerLosses(scratch / "adapter", Path(config["model"]["path"]), quantization, rows)
    found = [Comparison("base", base["loss"], peerBase), Comparison("with adapter", tuned["loss"], peerTuned)]
    everything = not 0 < int(config["evaluation"].get("max_rows") or 0) < len(rows)
    if checkpoint == "last" and data == own and not maxRows and everything and shown.get("validation_loss"):
        found.append(Comparison("end of the run", shown["validation_loss"], peerTuned))
    return rows, found


def table(comparisons: list[Comparison]) -> str:
    lines = [f"{'mean loss':<16}{'engine':>12}{'PEFT':>12}{'difference':>12}"]
    for c in comparisons:
        verdict = "" if c.agrees else f"  more than {TOLERANCE:.1%}"
        lines.append(f"{c.name:<16}{c.engine:>12.6f}{c.peer:>12.6f}{c.difference:>11.4%} {verdict}".rstrip())
    return "\n".join(lines)
