"""Memory of a long tape: 1000 steps that each save one array of 100,000 elements.

Run as a script it is the child process: `tape_memory.py covector|PyTorch STEPS traced|resident`.
"""

import importlib
import importlib.util
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
from case import COVECTOR, TORCH, Bound, Measured

STEPS, QUICK_STEPS, ELEMENTS = 1000, 100, 100_000
PROCESS_FACTS = Path("/proc/self/status")  # Linux only


def cases() -> list[Measured]:
    return [
        Measured(
            "tape-memory",
            "tape of 1000 sines of 100,000 elements: peak / one saved array a step",
            "x",
            _measure,
            (Bound(1.05),),
        )
    ]


def _measure(quick: bool) -> tuple[float, dict[str, Any]]:
    steps = QUICK_STEPS if quick else STEPS
    # A short tape shows the sweep's few working arrays; the bound is about the long one.
    needed = steps * ELEMENTS * 8
    facts = {f"{COVECTOR} traced": _child(COVECTOR, steps, "traced") / needed}
    if PROCESS_FACTS.exists():
        facts[f"{COVECTOR} resident"] = _child(COVECTOR, steps, "resident") / needed
        if importlib.util.find_spec("torch"):
            facts[f"{TORCH} resident"] = _child(TORCH, steps, "resident") / needed
    return facts[f"{COVECTOR} traced"], facts | {"steps": steps, "bytes_a_step": ELEMENTS * 8}


def _child(side: str, steps: int, method: str) -> int:
    command = [sys.executable, str(Path(__file__)), side, str(steps), method]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    return int(done.stdout.splitlines()[-1])


def _gradient_in(side: str, steps: int):
    """Return a call that computes the gradient in one library.

    A child loads that library alone: the other would add to the resident size.
    """
    if side == TORCH:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        leaf = torch.linspace(0.1, 0.9, ELEMENTS, dtype=torch.float64, requires_grad=True)
        return lambda: torch.autograd.grad(_sines(torch.sin, leaf, steps), leaf)
    covector = importlib.import_module("covector")
    x = np.linspace(0.1, 0.9, ELEMENTS)
    gradient = covector.grad(lambda x: _sines(np.sin, x, steps))
    return lambda: gradient(x)


def _sines(sin, y, steps: int):
    for _ in range(steps):
        y = sin(y)
    return y.sum()


def _main(side: str, steps: int, method: str) -> int:
    _gradient_in(side, 2)()  # what the first call loads and caches is not the tape
    run = _gradient_in(side, steps)
    if method == "traced":
        tracemalloc.start()
        run()
        return tracemalloc.get_traced_memory()[1]
    before = _peak_resident()
    run()
    return _peak_resident() - before


def _peak_resident() -> int:
    """Read the peak of this program; `getrusage` would carry over the parent's peak."""
    line = next(line for line in PROCESS_FACTS.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    print(_main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
