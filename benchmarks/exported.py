"""Gradients of ten numbers as C (`export_c`), compiled and timed by a loop in C: `python benchmarks/exported.py`.

Prints nanoseconds a call: the least of several runs of 100,000 calls each, for each set of flags of the compiler.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import covector as cv

FLAGS = (("-O2",), ("-O2", "-march=native"), ("-O3", "-march=native"))
MAIN = """\
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#include "f.h"

int main(void)
{
    static double given[%d][%d], out[%d];
    double best = 1e9, total = 0.0;
    for (int k = 0; k < %d; k++)
        for (int i = 0; i < %d; i++)
            given[k][i] = 0.5 + 0.01 * ((7 * i + k) %% 50);
    for (int run = 0; run < 9; run++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int n = 0; n < 100000; n++) {
            f(%s, out, 0);
            given[0][n %% 10] += 1e-9 * out[n %% 10];
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double time = (end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec);
        best = time < best ? time : best;
        total += out[0];
    }
    printf("%%.1f %%g\\n", best / 100000, total);
    return 0;
}
"""


def rosenbrock(x: Any) -> Any:
    """Rosenbrock's function."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def change(y: Any, p: Any) -> Any:
    """How fast ten species change that react with their neighbours: two exponentials and a tanh each."""
    flow = p * np.exp(-0.5 * y * y) * np.tanh(y - np.roll(y, 1)) / (1.0 + y)
    return np.roll(flow, -1) - flow


def pulled(y: Any, p: Any) -> Any:
    """A number that one explicit step ends in."""
    return np.sum((y + 0.01 * change(y, p)) ** 2)


def pulled_rk4(y: Any, p: Any) -> Any:
    """A number that one step of the fourth order ends in."""
    a = change(y, p)
    b = change(y + 0.005 * a, p)
    c = change(y + 0.005 * b, p)
    d = change(y + 0.01 * c, p)
    return np.sum((y + 0.01 / 6.0 * (a + 2.0 * b + 2.0 * c + d)) ** 2)


CASES: dict[str, tuple[Callable[..., Any], int]] = {
    "gradient of Rosenbrock's function": (cv.grad(rosenbrock), 1),
    "gradient of an Euler step of ten species": (cv.grad(pulled), 2),
    "gradient of an RK4 step of ten species": (cv.grad(pulled_rk4), 2),
}


def nanoseconds(fun: Callable[..., Any], count: int, flags: Sequence[str], compiler: Sequence[str]) -> float:
    """The time of a call of a function of `count` arrays of ten numbers."""
    with tempfile.TemporaryDirectory() as folder:
        cv.export_c(fun, *[np.ones(10)] * count, name="f", folder=folder)
        given = ", ".join([f"given[{k}]" for k in range(count)])
        Path(folder, "main.c").write_text(MAIN % (count, 10, 10, count, 10, given))
        subprocess.run([*compiler, *flags, "-o", "main", "main.c", "f.c", "-lm"], cwd=folder, check=True)
        done = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True)
        return float(done.stdout.split()[0])


def main() -> None:
    """Print a row for each function and set of flags."""
    compiler = shlex.split(os.environ.get("CC", "")) or [shutil.which("cc") or "cc"]
    for name, (fun, count) in CASES.items():
        for flags in FLAGS:
            print(f"{name:45} {' '.join(flags):20} {nanoseconds(fun, count, flags, compiler):8.0f} ns")


if __name__ == "__main__":
    main()
