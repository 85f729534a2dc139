"""What the round trip asks of the program `anneal`, by its command line and JSON."""

import json
import subprocess
from pathlib import Path

import yaml

ALL_ROWS = 1_000_000


class EngineError(Exception):
    """A command of `anneal` that did not end with 0, with what it said."""


class Engine:
    def __init__(self, program: Path, runsFolder: Path | None = None):
        self.program = program
        self.runsFolder = runsFolder

    def ask(self, *arguments: str) -> dict:
        """Runs one command with --json and gives its object; human text goes to the terminal."""
        command = [str(self.program), *arguments, "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise EngineError(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stdout.strip()}")
        return json.loads(done.stdout)

    def train(self, config: Path, name: str) -> Path:
        """Runs a configuration to its end and gives the run's folder."""
        shown = self.ask("run", str(config), "--runs-dir", str(self.runsFolder), "--name", name)
        return Path(shown["folder"])

    def show(self, run: str) -> dict:
        return self.ask("show", run)

    def evaluate(self, run: str, checkpoint: str, data: Path, maxRows: int) -> dict:
        return self.ask("evaluate", run, "--checkpoint", checkpoint, "--data", str(data), "--set",
                        f"evaluation.max_rows={maxRows or ALL_ROWS}", "--set", "evaluation.metrics=[loss]")

    def export(self, run: str, checkpoint: str, folder: Path) -> dict:
        return self.ask("export", run, "--checkpoint", checkpoint, "--format", "peft", "--output", str(folder))

    def rows(self, folder: Path, data: Path) -> list[dict]:
        """Token ids and labels of a data file under the run's own template, length and masks, in file order."""
        train = json.dumps([{"path": str(data)}])
        found = self.ask("inspect", str(folder / "run.yaml"), "--set", f"data.train={train}", "--set",
                         "data.validation=0", "--rows", str(ALL_ROWS))
        return [{"input_ids": r["input_ids"], "labels": r["labels"]} for r in found["rows"]]


def runConfig(folder: Path) -> dict:
    return yaml.safe_load((folder / "run.yaml").read_text(encoding="utf-8"))
