"""What a plain `covector.numpy` call costs over NumPy's own, with no transform running."""

from functools import partial
from statistics import median
from typing import Any

import numpy as np
from case import Bound, Measured
from timing import interleave

import covector.numpy as cnp

ALLOWED_RATIO, ALLOWED_US = 1.3, 0.2
SIZES = (4, 1000)


def calls(namespace, n: int) -> dict[str, partial]:
    """Return one call each of functions of every kind, on arrays of `n` elements."""
    x, y = np.linspace(0.1, 0.9, n), np.linspace(0.9, 0.1, n)
    positive, square = x > 0.5, np.outer(x[:32], y[:32])
    return {
        "sin(x)": partial(namespace.sin, x),
        "exp(x)": partial(namespace.exp, x),
        "add(x, y)": partial(namespace.add, x, y),
        "multiply(x, 2.0)": partial(namespace.multiply, x, 2.0),
        "maximum(x, y)": partial(namespace.maximum, x, y),
        "where(m, x, y)": partial(namespace.where, positive, x, y),
        "sum(x)": partial(namespace.sum, x),
        "max(x)": partial(namespace.max, x),
        "mean(x)": partial(namespace.mean, x),
        "cumsum(x)": partial(namespace.cumsum, x),
        "reshape(x, (2, -1))": partial(namespace.reshape, x, (2, -1)),
        "transpose(a)": partial(namespace.transpose, square),
        "matmul(a, a)": partial(namespace.matmul, square, square),
        "dot(x, y)": partial(namespace.dot, x, y),
        "concatenate((x, y))": partial(namespace.concatenate, (x, y)),
        "stack((x, y))": partial(namespace.stack, (x, y)),
        "zeros_like(x)": partial(namespace.zeros_like, x),
    }


def cases() -> list[Measured]:
    return [
        Measured(
            "dispatch",
            "plain `covector.numpy` call: worst of 17 functions, time beyond 1.3 x NumPy",
            "µs",
            _measure,
            (Bound(ALLOWED_US),),
        )
    ]


def _measure(quick: bool) -> tuple[float, dict[str, Any]]:
    facts, rounds = {}, 5 if quick else 25
    for n in SIZES:
        ours, theirs = calls(cnp, n), calls(np, n)
        for name in ours:
            samples = interleave({"ours": ours[name], "numpy": theirs[name]}, rounds, 2.0)
            mine, numpy_us = median(samples["ours"]) / 1e3, median(samples["numpy"]) / 1e3
            facts[f"{name}, n = {n}"] = {
                "covector_us": mine,
                "numpy_us": numpy_us,
                "beyond_us": mine - ALLOWED_RATIO * numpy_us,
            }
    return max(fact["beyond_us"] for fact in facts.values()), facts
