"""The list of everyday programs, each written once, for covector and for JAX."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Program(NamedTuple):
    """`run(lib, *args)`; the gradient is that by the first argument, where `slope`."""

    room: str
    name: str
    run: Callable[..., Any]
    args: tuple[Any, ...]
    slope: bool


class Library(NamedTuple):
    """The modules and functions of one library."""

    np: Any
    f: Any  # the transforms
    lax: Any
    random: Any
    special: Any
    linalg: Any  # SciPy's
    nn: Any
    ops: Any  # sums of segments
    set: Callable[..., Any]  # (x, i, v): x with v at i
    add: Callable[..., Any]  # (x, i, v): x with v added at i


PROGRAMS: list[Program] = []


def program(room: str, *args: Any, slope: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a function to the list, with its arguments."""
    def found(run: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(Program(room, run.__name__, run, args, slope))
        return run

    return found


def normal(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed + sum(shape)).normal(size=shape)


def positive(*shape: int) -> Any:
    return abs(normal(*shape)) + 0.5


def between(*shape: int) -> Any:
    """Numbers between 0.05 and 0.95."""
    return np.random.default_rng(sum(shape)).uniform(0.05, 0.95, shape)


def definite(n: int) -> Any:
    """A symmetric matrix whose eigenvalues are positive."""
    a = normal(n, n)
    return a @ a.T + n * np.eye(n)
