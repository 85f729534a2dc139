"""What every part shares: folders, a quiet deterministic torch on one CPU thread, and writing of files."""

import json
import os
import warnings
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("BITSANDBYTES_NOWELCOME", "1")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch
from safetensors.torch import save_file

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests/golden/data"
LICENSES = Path("/usr/share/common-licenses")

torch.set_num_threads(int(os.environ.get("PEER_THREADS", "1")))
torch.use_deterministic_algorithms(True)
warnings.filterwarnings("ignore", category=FutureWarning)
warnings.filterwarnings("ignore", message="Could not find a config file")


def generator(seed: int) -> torch.Generator:
    """A random source of its own, so that no part depends on the order of the others."""
    return torch.Generator().manual_seed(seed)


def saveTensors(path: Path, tensors: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({k: v.detach().contiguous() for k, v in tensors.items()}, str(path), metadata={"format": "pt"})


def saveJson(path: Path, value, indent=None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    separators = None if indent else (",", ":")
    path.write_text(json.dumps(value, indent=indent, separators=separators) + "\n", encoding="utf-8")


def licenseSentences(name: str) -> list[str]:
    """Paragraphs of a licence of the system, each on one line: short real legal text."""
    text = (LICENSES / name).read_text(encoding="utf-8", errors="replace")
    return [" ".join(p.split()) for p in text.split("\n\n") if len(p.split()) >= 8]
