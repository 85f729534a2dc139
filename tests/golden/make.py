#!/usr/bin/env python3
"""Makes the reference values in tests/golden/data from transformers, PEFT and bitsandbytes.

Usage: tools/peer-setup && tests/golden/make.py [part...]     (all parts without an argument)
Runs on the CPU with one thread; the same machine gives the same bytes. See README.md for what each file holds.
"""

import importlib
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / ".deps/peer")]

PARTS = ("nf4", "tiny", "logits", "lora", "legal", "tokens", "chat", "jinja", "smollm2")


def main() -> int:
    parts = sys.argv[1:] or PARTS
    unknown = [p for p in parts if p not in PARTS]
    if unknown:
        print(f"unknown part {unknown[0]}; parts are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    for part in parts:
        start = time.time()
        importlib.import_module(f"peer.{part}").make()
        print(f"{part}: {time.time() - start:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
