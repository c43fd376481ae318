"""Everyday programs compiled: 145 of them and 24 loops through `covector.jit`, beside `jax.jit` and covector alone.

    python benchmarks/everyday_programs.py [--only WORD …] [--write PAGE]

Values and gradients, float64, one thread, processor time: the least of several rounds in which the sides take turns.
First calls are with an empty cache. With `--write` they go between the markers of a page.
"""

import argparse
import gc
import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean
from time import process_time
from typing import Any, NamedTuple

os.environ.setdefault("COVECTOR_CACHE_DIR", tempfile.mkdtemp())
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import numpy as np
from everyday import algebra, arrays, loops, models  # noqa: F401
from everyday.programs import PROGRAMS, Library, Program
from libraries import jax

import covector
import covector.numpy
import covector.scipy.linalg
import covector.scipy.special

BEGIN, END = "<!-- everyday:begin -->", "<!-- everyday:end -->"
ROUNDS, SAMPLE_S = 7, 0.01
NOISE = 1.1  # a row up to which counts as held


def _set(x: Any, i: Any, v: Any) -> Any:
    x = covector.numpy.array(x)
    x[i] = v
    return x


def _add(x: Any, i: Any, v: Any) -> Any:
    x = covector.numpy.array(x)
    np.add.at(x, i, v)  # equal places count each
    return x


OURS = Library(covector.numpy, covector, covector.lax, covector.random, covector.scipy.special, covector.scipy.linalg,
               covector.nn, covector.ops, _set, _add)


def _theirs() -> Library:
    scipy = importlib.import_module("jax.scipy")
    return Library(jax.numpy, jax, jax.lax, jax.random, scipy.special, scipy.linalg, jax.nn, jax.ops,
                   lambda x, i, v: jax.numpy.asarray(x).at[i].set(v), lambda x, i, v: jax.numpy.asarray(x).at[i].add(v))


class Row(NamedTuple):
    """Microseconds of a call and seconds of a first one, of both sides; and of a call without `jit`."""

    program: Program
    slope: bool
    ours: float
    theirs: float
    first: float
    first_theirs: float
    eager: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def measured(p: Program, slope: bool, theirs: Library) -> Row:
    """Time one program, after both sides have agreed on the result."""
    def of(lib: Library) -> Callable[..., Any]:
        run = lambda *args: p.run(lib, *args)  # noqa: E731
        return lib.f.grad(run) if slope else run

    given = jax.tree_util.tree_map(jax.numpy.asarray, p.args)
    ours, other, eager = covector.jit(of(OURS)), jax.jit(of(theirs)), of(OURS)
    gc.collect()  # what the programs before it left falls into neither first call
    first, found = _once(lambda: ours(*p.args))
    first_theirs, expected = _once(lambda: jax.block_until_ready(other(*given)))
    for a, b in zip(jax.tree_util.tree_leaves(expected), jax.tree_util.tree_leaves(found), strict=True):
        np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-6, atol=1e-8)
    sides = [lambda: ours(*p.args), lambda: jax.block_until_ready(other(*given))]
    least = [_least(run, max(1, int(SAMPLE_S / max(_once(run)[0], 1e-6)))) for run in [sides[0], sides[1]]]
    for _ in range(2):
        least = [min(t, _least(run, max(1, int(SAMPLE_S / t)))) for t, run in zip(least, sides, strict=True)]
    _once(lambda: eager(*p.args))
    alone = min(_once(lambda: eager(*p.args))[0] for _ in range(3))
    return Row(p, slope, *[t * 1e6 for t in least], first, first_theirs, alone * 1e6)


def _once(run: Callable[[], Any]) -> tuple[float, Any]:
    start = process_time()
    found = run()
    return process_time() - start, found


def _least(run: Callable[[], Any], calls: int) -> float:
    found = []
    for _ in range(ROUNDS):
        start = process_time()
        for _ in range(calls):
            run()
        found.append((process_time() - start) / calls)
    return min(found)


def summary(rows: list[Row]) -> list[str]:
    """The figures that the bounds are about."""
    lines = []
    for title, some in (("values", [r for r in rows if not r.slope]), ("gradients", [r for r in rows if r.slope])):
        if some:
            held = sum(r.ratio <= NOISE for r in some) / len(some)
            quick = sum(r.first <= 0.5 * r.first_theirs for r in some) / len(some)
            mean, worst = geometric_mean(r.ratio for r in some), max(r.ratio for r in some)
            lines.append(f"{len(some)} {title}: geometric mean {mean:.2f} of `jax.jit`, {held:.0%} at most {NOISE}, "
                         f"worst {worst:.1f}; first calls at most half of JAX's in {quick:.0%}; slower than without "
                         f"`jit`: {sum(r.ours > NOISE * r.eager for r in some)}")
    return lines


def report(rows: list[Row]) -> list[str]:
    """The section of a page: the summary, the rows that are lost, and a folded table for each room."""
    lost = [f"{r.program.name.replace('_', ' ')} ({'gradient' if r.slope else 'value'}) {r.ratio:.1f}"
            for r in sorted(rows, key=lambda r: -r.ratio) if r.ratio > NOISE]
    lines = [*[f"- {line}." for line in summary(rows)], "", f"Where `jax.jit` is faster: {', '.join(lost)}.", ""]
    for room in dict.fromkeys(r.program.room for r in rows):
        some = [r for r in rows if r.program.room == room]
        lines += ["<details>", f"<summary>{room}</summary>", "", *table(some), "", "</details>", ""]
    return lines


def table(rows: list[Row]) -> list[str]:
    """A line for each program: microseconds of a call and over `jax.jit`; the slower first call over JAX's."""
    lines = ["| program | value | ÷ `jax.jit` | gradient | ÷ `jax.jit` | first ÷ JAX's |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    by_name: dict[str, dict[bool, Row]] = {}
    for r in rows:
        by_name.setdefault(r.program.name, {})[r.slope] = r
    for name, found in by_name.items():
        cells = [f"{found[s].ours:.1f} µs | {_ratio(found[s].ratio)}" if s in found else " | " for s in (False, True)]
        first = max(r.first / r.first_theirs for r in found.values())
        lines.append(f"| {name.replace('_', ' ')} | {' | '.join(cells)} | {first:.2f} |")
    return lines


def _ratio(x: float) -> str:
    return f"**{x:.2f}**" if x > NOISE else f"{x:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--write")
    given = parser.parse_args()
    if jax is None:
        print("jax is not installed: nothing to compare with")
        return 1
    theirs, rows, failed = _theirs(), [], 0
    for p in PROGRAMS:
        if given.only and not any(word in p.name or word == p.room for word in given.only):
            continue
        for slope in (False, True)[: 1 + p.slope]:
            try:
                r = measured(p, slope, theirs)
            except Exception as error:  # a program that fails is a row of its own
                failed += 1
                print(f"{p.room:24s} {p.name:36s} {'gradient' if slope else 'value':8s} {type(error).__name__}: "
                      f"{str(error)[:300]}", flush=True)
                continue
            rows.append(r)
            print(f"{p.room:24s} {p.name:36s} {'gradient' if slope else 'value':8s} {r.ratio:6.2f}  "
                  f"{r.ours:9.1f} us for {r.theirs:9.1f}, eager {r.eager:9.1f}; first {r.first:.2f} s for "
                  f"{r.first_theirs:.2f}", flush=True)
    print(*summary(rows), sep="\n")
    if given.write:
        page = Path(given.write)
        before, rest = page.read_text().split(BEGIN)
        page.write_text("\n".join([before + BEGIN, *report(rows), END + rest.split(END)[1]]))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
