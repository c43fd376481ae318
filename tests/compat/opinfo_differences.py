"""Writes `opinfo_differences.txt` anew: what agrees goes, numbers are counted, reasons stay, new lines have none."""

import pathlib
import sys
import warnings

import torch

from opinfo_harness import compare, operations
from test_opinfo import KINDS

FILE = pathlib.Path(__file__).with_name("opinfo_differences.txt")
NONE = "no reason yet:"


def main():
    """Compare as the test does, and write down what differs; new differences are printed."""
    torch.set_num_threads(1)  # the tensors are small
    lines = FILE.read_text(encoding="utf-8").splitlines()
    reasons = {tuple(row[:2]): row[3] for row in (line.split(None, 3) for line in lines[1:])}
    found = []
    for kind, cap in KINDS.items():
        for name, op in operations().items():
            wrong, _ = compare(op, *kind.split("/"), cap=cap)
            if wrong:
                reason = reasons.get((name, kind)) or f"{NONE} {' '.join(wrong[0].split())[:200]}"
                found.append(f"{name} {kind} {len(wrong)} {reason}")
    FILE.write_text("\n".join([lines[0], *sorted(found)]) + "\n", encoding="utf-8")
    sys.stdout.write("".join([f"{line}\n" for line in found if NONE in line]))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
