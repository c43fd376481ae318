"""What a row of the benchmark is: the sides that are compared, their answers, the bounds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# The sides of a row and the columns of the table, in this order.
COVECTOR = "covector"
TORCH = "PyTorch"
TORCH_FUNC = "torch.func"
AUTOGRAD = "autograd"
NUMPY = "NumPy"
EAGER = "eager"  # of rows whose covector side is compiled
JAX = "jax.jit"
JAX_EAGER = "JAX"  # the same, without jit


@dataclass(frozen=True)
class Bound:
    """`value <= limit`; the value is a ratio to `against`, or the figure itself without it."""

    limit: float
    against: str | None = None


@dataclass(frozen=True)
class Timed:
    """One computation in several libraries; `sides` maps each to a call without arguments.

    `check` turns what a side returned into a list of NumPy arrays; all sides must agree on them.
    `per` divides the time: operations, or steps, in one call.
    """

    name: str
    title: str
    sides: dict[str, Callable[[], Any]]
    check: Callable[[Any], list[np.ndarray]]
    bounds: tuple[Bound, ...]
    per: int = 1
    tolerance: float = 1e-9
    note: str = ""


@dataclass(frozen=True)
class Measured:
    """A figure that is not a time of two equal computations: memory, size, start-up.

    `measure(quick)` returns the figure that the bound is about, and further facts for the JSON.
    """

    name: str
    title: str
    unit: str
    measure: Callable[[bool], tuple[float, dict[str, Any]]]
    bounds: tuple[Bound, ...]
    note: str = ""


def arrays(result: Any) -> list[np.ndarray]:
    """Flatten tuples, lists, dicts (by sorted key), tensors and arrays into NumPy arrays."""
    if isinstance(result, dict):
        return [a for key in sorted(result) for a in arrays(result[key])]
    if isinstance(result, tuple | list):
        return [a for item in result for a in arrays(item)]
    if hasattr(result, "detach"):
        return [result.detach().numpy()]
    return [np.asarray(result)]


def disagreement(case: Timed) -> str | None:
    """Run each side once; describe the first two sides that differ, or return None."""
    answers = {side: case.check(run()) for side, run in case.sides.items()}
    ours = answers[COVECTOR]
    for side, theirs in answers.items():
        if len(ours) != len(theirs):
            return f"{case.name}: covector returned {len(ours)} arrays, {side} {len(theirs)}"
        for position, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            if a.shape != b.shape:
                return f"{case.name}: array {position} is {a.shape} here, {b.shape} in {side}"
            if a.dtype != b.dtype:
                return f"{case.name}: array {position} is {a.dtype} here, {b.dtype} in {side}"
            error = np.max(np.abs(a - b), initial=0.0)
            scale = np.max(np.abs(b), initial=0.0)
            if not error <= case.tolerance * max(scale, 1e-30):
                return f"{case.name}: array {position} differs from {side} by {error} of {scale}"
    return None
