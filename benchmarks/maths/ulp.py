"""Measures the error and the time of every function, and writes docs/maths.md.

Run `python benchmarks/maths/ulp.py [--count N] [NAME ...]`: N arguments (10⁷ unless told) of each function and width,
half of them uniform in bit patterns, half uniform in ranges of interest. All are compared with the C library in long
double (64 bits of mantissa); the 100 worst of each are computed again by mpmath, with 400 bits, and the largest error
among those is reported. Functions that are not named keep what was measured before.
"""

import argparse
import json
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from time import perf_counter_ns
from typing import NamedTuple

import mpmath
import numpy as np
from llvm_lanes import DTYPES, compiled
from oracles import LONG, long_double
from page import write
from true_values import exact

from covector.transforms.compile.maths import FEW, FUNCTIONS, NEAR, QUICK

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.json")
RECORDED = ROOT / "tests" / "transforms" / "recorded_maths.json"
CHUNK, WORST = 1 << 17, 100
WIDTHS = {"exp of FEW": (64,), "exp of QUICK": (32,)}  # of those that are used in one precision only


class Row(NamedTuple):
    """What is measured of one function."""

    name: str
    ranges: list  # of one argument, as pairs, or of two, as pairs of pairs; `...` for all bit patterns
    time: tuple  # the range in which it is timed
    terms: Callable | None = None  # the error is counted in units of the largest of the result and this
    note: str = ""
    function: Callable | None = None


def _turned_gammaln(x):
    return long_double("gammaln")(-x)


def _turned_digamma(x):
    return long_double("digamma")(1 - x)


ROWS = [
    Row("exp", [..., (-750, 715), (-1, 1)], (-10, 10)),
    Row("expm1", [..., (-50, 715), (-2, 2)], (-10, 10)),
    Row("exp2", [..., (-1080, 1030), (-1, 1)], (-10, 10)),
    Row("log", [..., (0.1, 3), (0.7, 1.42)], (0.1, 10)),
    Row("log1p", [..., (-1, 3), (-0.3, 0.5)], (0.1, 10)),
    Row("log2", [..., (0.1, 3), (0.7, 1.42)], (0.1, 10)),
    Row("log10", [..., (0.1, 3), (0.7, 1.42)], (0.1, 10)),
    Row("sin", [..., (-100, 100), (-1, 1), (-1e9, 1e12)], (-10, 10)),
    Row("cos", [..., (-100, 100), (-1, 1), (-1e9, 1e12)], (-10, 10)),
    Row("tan", [..., (-100, 100), (-1, 1), (-1e9, 1e12)], (-10, 10)),
    Row("arcsin", [..., (-1, 1), (-0.6, 0.6)], (-1, 1)),
    Row("arccos", [..., (-1, 1), (-0.6, 0.6)], (-1, 1)),
    Row("arctan", [..., (-10, 10), (-1, 1)], (-10, 10)),
    Row("arctan2", [..., (-10, 10), (-1, 1)], (-10, 10)),
    Row("sinh", [..., (-712, 712), (-3, 3)], (-10, 10)),
    Row("cosh", [..., (-712, 712), (-3, 3)], (-10, 10)),
    Row("tanh", [..., (-20, 20), (-1, 1)], (-10, 10)),
    Row("arcsinh", [..., (-10, 10), (-1, 1)], (-10, 10)),
    Row("arccosh", [..., (1, 100), (1, 1.5)], (1, 10)),
    Row("arctanh", [..., (-1, 1), (-0.1, 0.1)], (-1, 1)),
    Row("power", [..., ((0, 30), (-30, 30)), ((0.9, 1.1), (-1000, 1000)), ((0, 1000), (-100, 100))], (0.1, 10)),
    Row("cbrt", [..., (-8, 8)], (-10, 10)),
    Row("hypot", [..., (-10, 10)], (-10, 10)),
    Row("sigmoid", [..., (-750, 50), (-4, 4)], (-10, 10)),
    Row("logaddexp", [..., (0, 30), ((0, 700), (-700, 700))], (0, 10), note="larger argument not negative"),
    Row("logaddexp", [(-20, 0), (-1, 0)], (0, 10), np.maximum, "both negative, in ulp of the larger one"),
    Row("logaddexp2", [..., (0, 30), ((0, 700), (-700, 700))], (0, 10), note="larger argument not negative"),
    Row("logaddexp2", [(-20, 0), (-1, 0)], (0, 10), np.maximum, "both negative, in ulp of the larger one"),
    Row("erf", [..., (-6, 6), (-1, 1)], (-3, 3)),
    Row("erfinv", [..., (-1, 1), (-0.9, 0.9)], (-1, 1)),
    Row("erfc", [..., (-6, 28), (-1, 1)], (-3, 3)),
    Row("gammaln", [(0, 10), (1, 2), (0, 1000), (-2, 0), (0, "max")], (0.1, 10), note="above -2"),
    Row("gammaln", [(-10, -2), (-170, -2)], (0.1, 10), _turned_gammaln, "below -2, in ulp of log gamma(-x)"),
    Row("digamma", [(0, 10), (1, 2), (0, 1000), (-0.49, 0), (0, "max")], (0.1, 10), note="above -0.49"),
    Row("digamma", [(-10, -0.49), (-170, -0.49)], (0.1, 10), _turned_digamma, "below -0.49, in ulp of digamma(1 - x)"),
    Row("ndtr", [..., (-39, 10), (-1, 1)], (-3, 3)),
    Row("ndtri", [..., (0, 1), (0.4, 0.6)], (0, 1)),
    Row("gelu", [..., (-39, 10), (-1, 1)], (-3, 3)),
    Row("silu", [..., (-750, 50), (-4, 4)], (-10, 10)),
    Row("softplus", [..., (-750, 50), (-4, 4)], (-10, 10)),
    Row("log_expit", [..., (-50, 750), (-4, 4)], (-10, 10)),
    Row("logit", [..., (0, 1), (0.4, 0.6)], (0, 1)),
    Row("xlogy", [..., (0, 3), ((-3, 3), (0.9, 1.1))], (0.1, 10)),
    Row("xlog1py", [..., ((-3, 3), (-1, 3)), ((-3, 3), (-0.1, 0.1))], (0.1, 10)),
    Row("entr", [..., (0, 3), (0.9, 1.1)], (0.1, 10)),
    *(Row(name, [(-40, 40), (-8, 8), (-700, 700)], (-10, 10)) for name in ("i0", "i1")),
    *(Row(name, [..., (-40, 40), (-8, 8)], (-10, 10)) for name in ("i0e", "i1e")),
    *(
        Row(name, [(-1e5, 1e5), (-100, 100), (-1, 1)], (-10, 10), note="of NEAR, up to 10⁵", function=NEAR[name][0])
        for name in NEAR
    ),
    Row("exp", [(-88, 88), (-707, 707), (-10, 10), (-1, 1)], (-10, 10), note="of FEW", function=FEW["exp_few"][0]),
    Row("tanh", [..., (-20, 20), (-1, 1), (-0.01, 0.01)], (-10, 10), note="of FEW", function=FEW["tanh_few"][0]),
    Row("exp", [..., (-104, 89), (-1, 1)], (-10, 10), note="of QUICK", function=QUICK["exp_quick"]),
]  # fmt: skip


def samples(row, dtype, count, size, rng):
    """`size` arguments at a time, `count` in all: bit patterns first, where the row has them."""
    patterned = [r for r in row.ranges if r is ...]
    ranges = [r for r in row.ranges if r is not ...]
    done = 0
    while done < count:
        if patterned and done < count // 2:
            xs = [patterns(dtype, size, rng) for _ in range(_arity(row))]
            if row.name.startswith("logaddexp"):
                xs[0] = abs(xs[0])
        else:
            one = ranges[(done // size) % len(ranges)]
            pairs = one if isinstance(one[0], tuple) else [one] * _arity(row)
            xs = [_uniform(pair, dtype, size, rng) for pair in pairs]
        done += size
        yield xs


def patterns(dtype, size, rng):
    whole = np.dtype(f"u{np.dtype(dtype).itemsize}")
    return rng.integers(0, np.iinfo(whole).max, size, whole, endpoint=True).view(dtype)


def _uniform(pair, dtype, size, rng):
    low, high = pair
    if high == "max":  # uniform in bit patterns of positive numbers
        return np.abs(patterns(dtype, size, rng))
    x = np.clip(rng.uniform(low, high, size), -np.finfo(dtype).max, np.finfo(dtype).max).astype(dtype)
    return np.clip(x, dtype(low), dtype(high))


def _arity(row):
    return len(signature(row.function or FUNCTIONS[row.name]).parameters) - 1


def errors(got, reference, dtype, terms=None):
    """Errors in units in the last place of the reference; where one is NaN and the other not, infinity."""
    info = np.finfo(dtype)
    size = abs(reference) if terms is None else np.maximum(abs(reference), abs(terms))
    _, exponent = np.frexp(size)
    unit = np.ldexp(LONG(1), np.maximum(exponent - 1, info.minexp) - info.nmant)
    error = abs(got.astype(LONG) - reference) / unit
    rounded = reference.astype(dtype)
    same = (got == rounded) & ~np.isfinite(rounded) | np.isnan(got) & np.isnan(reference)
    error = np.where(same, 0, error)
    return np.where(np.isnan(error), np.inf, error).astype(float)


def exact_error(name, xs, got, dtype, terms=None):
    """The error in units in the last place, and the result, by mpmath."""
    info = np.finfo(dtype)
    with mpmath.workprec(400):
        reference = exact(name)(*[mpmath.mpf(float(x)) for x in xs])
        size = max(abs(reference), abs(mpmath.mpf(float(terms))) if terms is not None else 0)
        exponent = max(mpmath.frexp(size)[1] - 1, info.minexp)
        return float(abs(mpmath.mpf(float(got)) - reference) / mpmath.mpf(2) ** (exponent - info.nmant)), reference


def measure(row, width, count, seed=0):
    """The largest error of a row, where it is, and the worst arguments with their results."""
    dtype, rng = DTYPES[width], np.random.default_rng([seed, width])
    run, oracle = compiled(row.function or FUNCTIONS[row.name], width, _arity(row)), long_double(row.name)
    worst, seen = [], 0
    for xs in samples(row, dtype, count, CHUNK, rng):
        got = run(*xs)
        with np.errstate(all="ignore"):
            long = [x.astype(LONG) for x in xs]
            terms = None if row.terms is None else row.terms(*long)
            found = errors(got, oracle(*long), dtype, terms)
        seen += found.size
        at = np.argpartition(found, -WORST)[-WORST:]
        worst += [(found[i], [x[i] for x in xs], got[i], None if terms is None else terms[i]) for i in at]
        worst = sorted(worst, key=lambda entry: -entry[0])[:WORST]
    checked = [(*exact_error(row.name, xs, got, dtype, terms), xs) for error, xs, got, terms in worst if error < np.inf]
    error, _, xs = max(checked, key=lambda entry: entry[0])
    broken = [[float(x) for x in xs] for found, xs, *_ in worst if found == np.inf]
    record = [
        [*map(float, xs), _rounded(reference, dtype)] for _, reference, xs in sorted(checked, key=lambda e: -e[0])[:12]
    ]
    return {"ulp": round(error, 3), "at": [float(x) for x in xs], "count": seen, "broken": broken[:3]}, record


def _rounded(reference, dtype):
    """The nearest number of a type, ties aside, as a float."""
    near = float(reference)
    return near if dtype is np.float64 else float(np.float32(near))


def clock(row, width):
    """Nanoseconds an element of 4,000, ours and NumPy's, the least of many."""
    rng, dtype = np.random.default_rng(1), DTYPES[width]
    xs = [rng.uniform(*row.time, 4000).astype(dtype) for _ in range(_arity(row))]
    out = np.empty_like(xs[0])
    ours = compiled(row.function or FUNCTIONS[row.name], width, len(xs))
    theirs = getattr(np, row.name, None)
    theirs = theirs if isinstance(theirs, np.ufunc) else None
    least = [np.inf, np.inf]
    for _ in range(200):
        for k, run in enumerate((ours, theirs)):
            if run is not None:
                start = perf_counter_ns()
                run(*xs, out=out)
                least[k] = min(least[k], (perf_counter_ns() - start) / out.size)
    return [round(ns, 2) if ns < np.inf else None for ns in least]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--times", action="store_true", help="only the times")
    chosen = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    for row in ROWS:
        if chosen.names and row.name not in chosen.names:
            continue
        for width in WIDTHS.get(f"{row.name} {row.note}", DTYPES):
            key = f"{row.name} {width} {row.note}".strip()
            entry = results.get(key, {})
            if not chosen.times:
                measured, record = measure(row, width, chosen.count)
                entry |= measured
                if row.terms is None and row.function is None:
                    recorded[f"{row.name} {width}"] = record
            entry["ns"], entry["numpy_ns"] = clock(row, width)
            results[key] = entry
            print(key, entry, flush=True)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
            RECORDED.write_text(json.dumps(recorded, separators=(",", ":")).replace("]],", "]],\n") + "\n")
    write(ROOT / "docs" / "maths.md", results, [(row.name, row.note) for row in ROWS])


if __name__ == "__main__":
    main()
