"""What random programs are made of: the library that interprets them, operations, and how parameters are drawn."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Library(NamedTuple):
    """What an interpreter offers beside the NumPy namespace `np`."""

    np: Any
    special: Any
    nn: Any
    grad: Callable[..., Any]
    jvp: Callable[..., Any]
    vmap: Callable[..., Any]
    cond: Callable[..., Any]
    scan: Callable[..., Any]
    checkpoint: Callable[..., Any]
    custom_jvp: Callable[..., Any]
    custom_vjp: Callable[..., Any]
    psum: Callable[..., Any]
    stop_gradient: Callable[..., Any]
    write: Callable[..., Any]  # write(x, index, value, add): a copy of x with x[index] = value, or += value


class Operation(NamedTuple):
    """How many values an operation takes, how its parameters are drawn, and what it computes.

    `fun(library, *values, *parameters)` is the value. Only operations marked `complex_too` see complex values; those
    with `kinds` see values of these alone, a string of the kinds of dtype for each, or `*`.
    `margin`, of the same values and parameters as plain arrays, tells how far each is from a point where the operation
    jumps: the last bit of a sum, which libraries may round differently, must not decide what it computes.
    `bodies`, of the values, is for operations whose last parameters are programs: for each, a sample of what it is
    called with, and how many of its results have the shapes and dtypes of the first of these.
    """

    arity: int
    draw: Callable[[np.random.Generator], tuple]
    fun: Callable[..., Any]
    complex_too: bool = False
    margin: Callable[..., Any] | None = None
    kinds: tuple[str, ...] = ()
    bodies: Callable[..., list[tuple[list[Any], int]]] | None = None

    def takes(self, *values: Any) -> bool:
        """Tell whether it may see values of these dtypes."""
        if self.kinds:
            return all(x.dtype.kind in kinds or kinds == "*" for x, kinds in zip(values, self.kinds))
        return self.complex_too or not any(np.iscomplexobj(x) for x in values)


def no_parameters(rng: np.random.Generator) -> tuple:
    """Nothing to draw."""
    return ()


def one_axis(rng: np.random.Generator) -> tuple:
    """An axis, which may not exist."""
    return (int(rng.integers(-2, 2)),)


def some_axes(rng: np.random.Generator) -> tuple:
    """The axes of a reduction, and whether they are kept."""
    return ([None, 0, -1, (0, 1)][rng.integers(4)], bool(rng.integers(2)))


def one_of(*choices: Any) -> Callable[[np.random.Generator], tuple]:
    """One parameter out of a list."""
    return lambda rng: (choices[rng.integers(len(choices))],)


def unary(fun: Callable[[Any, Any], Any], **facts: Any) -> Operation:
    """`fun(np, x)`."""
    return Operation(1, no_parameters, lambda lib, x: fun(lib.np, x), **facts)


def binary(fun: Callable[[Any, Any, Any], Any], **facts: Any) -> Operation:
    """`fun(np, x, y)`."""
    return Operation(2, no_parameters, lambda lib, x, y: fun(lib.np, x, y), **facts)


def along(fun: Callable[..., Any], **facts: Any) -> Operation:
    """`fun(np, x, axis)`, with an axis."""
    return Operation(1, one_axis, lambda lib, x, axis: fun(lib.np, x, axis), **facts)


def reduction(fun: Callable[..., Any], **facts: Any) -> Operation:
    """`fun(np, x, axis=…, keepdims=…)`."""
    return Operation(1, some_axes, lambda lib, x, axis, keep: fun(lib.np, x, axis=axis, keepdims=keep), **facts)


def chosen(fun: Callable[..., Any], *choices: Any, **facts: Any) -> Operation:
    """`fun(np, x, parameter)`, with one of the choices."""
    return Operation(1, one_of(*choices), lambda lib, x, parameter: fun(lib.np, x, parameter), **facts)


def mask_of(shape: tuple[int, ...], k: int) -> Any:
    """A constant mask in which each third element is False."""
    return np.arange(int(np.prod(shape, dtype=int))).reshape(shape) % 3 != k
