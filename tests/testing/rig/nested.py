"""Operations of random programs around other programs: loops, branches, maps, derivatives and rules of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from covector.transforms.compile.call.jit import jit
from covector.transforms.control.checkpoint import checkpoint
from covector.transforms.control.control import cond, switch
from covector.transforms.control.loops import fori_loop, while_loop
from covector.transforms.control.mapping import map as mapped
from covector.transforms.control.scan import scan
from covector.transforms.custom.custom import custom_jvp
from covector.transforms.interpreters.forward import jvp
from covector.transforms.interpreters.gradient import grad
from covector.transforms.interpreters.jacobian import jacfwd
from covector.transforms.interpreters.vmap import vmap
from rig.operations import Library, Operation, one_of

Body = Callable[..., list[Any]]  # body(library, *values): its results
AROUND: dict[str, Callable[..., Any]] = {"jit": jit, "checkpoint": checkpoint, "grad": grad, "jacfwd": jacfwd}
ROWS = 8
NUMBER = np.zeros((), np.int64)


def _damped(lib: Library, x: Any) -> Any:
    """A bounded value of the same dtype: what goes around in a loop stays small."""
    bounds = {"f": lib.np.tanh, "c": lambda x: x / (1.0 + lib.np.abs(x)), "i": lambda x: x % 5}
    return bounds.get(x.dtype.kind, lambda x: x)(x)


def _rows(*xs: Any) -> list[Any]:
    """As many rows of each as all have."""
    count = min(ROWS, *[x.shape[0] for x in xs])
    if not count:
        raise ValueError("there is no row to draw the program from")
    return [x[:count] for x in xs]


def _scanned(lib: Library, x: Any, y: Any, rows: Any, more: Any, const: Any, backward: bool, last: bool,
             body: Body) -> Any:
    def step(carry: Any, row: Any) -> Any:
        *new, out = body(lib, *carry, *row, const)
        return tuple(_damped(lib, c) for c in new), out

    carry, outs = scan(step, (x, y), tuple(_rows(rows, more)), reverse=backward)
    return carry[0] if last else outs


def _repeated(lib: Library, x: Any, y: Any, const: Any, how: str, times: int, body: Body) -> Any:
    """A loop whose carry and number of steps a program is given: fori_loop, scan over nothing, or while_loop."""
    def step(k: Any, carry: Any) -> Any:
        return tuple(_damped(lib, c) for c in body(lib, *carry, NUMBER + k, const)[:2])

    if how == "fori_loop":
        return fori_loop(0, times, step, (x, y))[0]
    start = (x, y, NUMBER)
    if how == "scan":
        return scan(lambda c, _: ((*step(c[2], c[:2]), c[2] + 1), None), start, length=times)[0][1]
    limit = {"max_steps": 6} if how == "while_loop" else {}

    def goes_on(carry: Any) -> Any:
        return (carry[2] < times) & (lib.np.sum(lib.np.real(carry[0])) < 2.0)

    return while_loop(goes_on, lambda c: (*step(c[2], c[:2]), c[2] + 1), start, **limit)[0]


def _chosen(lib: Library, place: Any, x: Any, y: Any, closed: bool, *bodies: Body) -> Any:
    def branch(body: Body) -> Callable[..., Any]:
        return lambda *given: body(lib, *((x, y) if closed else given))[0]

    branches = [branch(body) for body in bodies]
    if len(bodies) == 2:
        return cond(lib.np.sum(place) > 0, *branches, x, y)
    if place.dtype.kind not in "ib":
        raise TypeError("a branch is chosen by an integer")
    return switch(lib.np.sum(place) % 3, branches, x, y)


def _mapped(lib: Library, x: Any, y: Any, const: Any, how: str, body: Body) -> Any:
    x, y = _rows(x, y)
    if how == "vmap":
        return vmap(lambda *given: body(lib, *given)[0], in_axes=(0, 0, None))(x, y, const)
    return mapped(lambda rows: body(lib, *rows, const)[0], (x, y))


def _transformed(lib: Library, x: Any, y: Any, how: str, body: Body) -> Any:
    np = lib.np

    def scalar(a: Any, b: Any) -> Any:
        return np.sum(np.tanh(1.0 * np.real(body(lib, a, b)[0]))) + 0.0 * np.sum(a)

    if how in ("jit", "checkpoint"):
        return AROUND[how](lambda a, b: body(lib, a, b)[0])(x, y)
    if x.dtype.kind != "f":
        raise TypeError("derivatives are of floating arguments")
    if how == "jvp":
        return jvp(lambda a: scalar(a, y), (x,), (np.cos(x),))[1]
    if how != "custom_jvp":
        return AROUND[how](scalar)(x, y)
    ruled = custom_jvp(scalar)
    ruled.defjvp(lambda primals, tangents: (scalar(*primals), np.sum(np.sin(primals[0]) * tangents[0])))
    return ruled(x, y)


NESTED = {
    "scanned": Operation(
        5, lambda rng: (bool(rng.integers(2)), bool(rng.integers(2))), _scanned, complex_too=True,
        bodies=lambda x, y, rows, more, const: [([x, y, *[r[0] for r in _rows(rows, more)], const], 2)]),
    "repeated": Operation(
        3, lambda rng: (*one_of("fori_loop", "scan", "while_loop", "while_loop without end")(rng),
                        int(rng.integers(0, 5))), _repeated, complex_too=True,
        bodies=lambda x, y, const: [([x, y, NUMBER, const], 2)]),
    "branches": Operation(3, one_of(False, True), _chosen, complex_too=True,
                          bodies=lambda place, x, y: [([x, y], 1)] * 2, margin=lambda place, *_: np.sum(place)),
    "switched": Operation(3, one_of(False, True), _chosen, complex_too=True,
                          bodies=lambda place, x, y: [([x, y], 1)] * 3),
    "mapped": Operation(3, one_of("vmap", "map"), _mapped, complex_too=True,
                        bodies=lambda x, y, const: [([*[r[0] for r in _rows(x, y)], const], 0)]),
    "transformed": Operation(2, one_of("jit", "checkpoint", "grad", "jacfwd", "jvp", "custom_jvp"), _transformed,
                             complex_too=True, bodies=lambda x, y: [([x, y], 0)]),
}  # fmt: skip
