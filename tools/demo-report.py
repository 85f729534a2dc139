"""Prints the demo's closing table: base beside tuned, predicted beside actual. Usage: demo-report.py RESULTS RUN_FOLDER"""
import json
import pathlib
import sys


def load(path):
    return json.loads(path.read_text())


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def duration(seconds):
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


def mebibytes(value):
    return "-" if not value else f"{value / 2**20:,.0f} MiB"


def peak_memory(run_folder):
    peak = 0
    for line in (run_folder / "telemetry.jsonl").read_text().splitlines():
        try:
            peak = max(peak, json.loads(line).get("run_memory") or 0)
        except json.JSONDecodeError:
            continue  # a torn last line
    return peak


def row(*cells):
    print(f"{cells[0]:<34}" + "".join(f"{cell:>16}" for cell in cells[1:]))


def main(results, run_folder):
    base, tuned = load(results / "base.json"), load(results / "tuned.json")
    plan, run = load(results / "plan.json"), load(results / "run.json")
    print()
    row("", "base", "tuned")
    change = 100 * (tuned["loss"] / base["loss"] - 1)
    row("validation loss", f"{base['loss']:.3f}", f"{tuned['loss']:.3f}", f"{change:+.1f} %")
    row("right section cited", percent(base["metrics"].get("citation")), percent(tuned["metrics"].get("citation")))
    row("token F1", percent(base["metrics"].get("f1")), percent(tuned["metrics"].get("f1")))
    print()
    row("", "predicted", "actual")
    row("training time", duration(plan["time"]["seconds"]), duration(run["seconds"]))
    row("peak memory", mebibytes(plan["memory"]["per_gpu_bytes"]), mebibytes(peak_memory(run_folder)))
    for before, after in zip(base.get("samples", []), tuned.get("samples", [])):
        question = after["prompt"].split("Question:")[-1].split("\n")[0].strip()
        print(f"\nQuestion   {question}\nReference  {after['reference']}\nBase       {before['text']}\nTuned      {after['text']}")
    print(f"\nAdapter    {results / 'adapter'}\nRun        {run_folder}")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
