"""The batching rule against a loop over examples."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of
from ..transforms.interpreters.forward import jvp
from ..transforms.interpreters.vmap import vmap
from .cases import Case
from .compare import CheckError, agree, random_direction

SIZES = (3, 1, 0)


def examples(x: Any, size: int) -> Any:
    """`size` variants of an operand, stacked in front: floats slightly scaled, integers and masks rotated."""
    if not size:
        return np.zeros((0, *x.shape), x.dtype)
    if x.dtype.kind in "biu":
        return np.stack([np.roll(x.reshape(-1), k).reshape(x.shape) for k in range(size)])
    return np.stack([(x * (1.0 - 0.03 * k)).astype(x.dtype) for k in range(size)])


def check_batch(case: Case, rng: np.random.Generator) -> None:
    """Each subset of batched operands, with 3, 1 and 0 examples, by the batching rule itself."""
    prim = case.prim
    if "collective" in prim.effects:
        return
    count = len(case.operands)
    sizes = range(1, count + 1) if count <= 3 else (1, count)
    for size in SIZES:
        for chosen in (c for k in sizes for c in combinations(range(count), k)):
            batched = tuple(i in chosen for i in range(count))
            operands = [examples(x, size) if b else x for x, b in zip(case.operands, batched)]
            where = f"the batch rule of {prim.name}, batched operand {case.names(chosen)}, {size} examples, {case}"
            found = prim.batch(list(operands), case.params, batched, size)
            found = list(found) if isinstance(found, tuple) else [found]
            _compare(case, operands, batched, size, found, where)


def check_nested(case: Case, rng: np.random.Generator) -> None:
    """A map over one of the first two operands inside of a map over the other: the batch rule meets its own outputs."""
    if case.prim.elementwise or "collective" in case.prim.effects or len(case.operands) < 2:
        return  # the batch rule of elementwise primitives is one for all
    count, sizes = len(case.operands), (2, 3)
    for outer, inner in ((0, 1), (1, 0)):
        operands = [examples(x, sizes[(outer, inner).index(i)]) if i < 2 else x for i, x in enumerate(case.operands)]
        axes = [[0 if i == k else None for i in range(count)] for k in (outer, inner)]
        where = f"nested maps of {case.prim.name}, {case.name(inner)!r} inside of {case.name(outer)!r}, {case}"
        try:
            found = vmap(vmap(lambda *xs: tuple(case.raw(list(xs))), axes[1]), axes[0])(*operands)
        except (TypeError, ValueError, IndexError) as error:
            raise CheckError(f"{where}: {error}") from error
        for row in range(sizes[0]):
            fixed = [x[row] if i == outer else x for i, x in enumerate(operands)]
            _compare(case, fixed, tuple(i == inner for i in range(count)), sizes[1], [v[row] for v in found],
                     f"{where}, row {row}")


def _compare(case: Case, operands: Any, batched: Any, size: int, found: list[Any], where: str) -> None:
    tol = 1e-11 if case.precise else 1e-5
    promised = [aval_of(v) for v in case.raw(case.operands)]
    if len(found) != len(promised):
        raise CheckError(f"{where}: got {len(found)} outputs, expected {len(promised)}")
    for k, (v, aval) in enumerate(zip(found, promised)):
        if np.shape(v) != (size, *aval.shape) or np.dtype(v.dtype) != aval.dtype:
            raise CheckError(f"{where}: output {k} has shape {np.shape(v)} and dtype {v.dtype}, expected "
                             f"{(size, *aval.shape)} and {aval.dtype}")
    gauge = case.sample.gauge
    for row in range(size):
        one = case.raw([x[row] if b else x for x, b in zip(operands, batched)])
        mine = [np.asarray(v)[row] for v in found]
        if gauge is not None:
            one, mine = _gauged(gauge, one), _gauged(gauge, mine)
        for k, (v, want) in enumerate(zip(mine, one)):
            agree(v, want, tol, f"{where}: example {row} of output {k} against a loop")


def _gauged(gauge: Callable[..., Any], values: Sequence[Any]) -> list[Any]:
    out = gauge(*values)
    return list(out) if isinstance(out, (tuple, list)) else [out]


def check_vmap(case: Case, rng: np.random.Generator, adjoint: Callable[..., Any]) -> None:
    """`vmap` of the vjp of the jvp against a loop over examples."""
    if not case.live or case.sample.orders < 2:
        return
    active = case.live
    fun = case.function(active)
    n = len(active)
    size = 2
    xs = [examples(x, size) for x in case.points(active)]
    vs = [random_direction(rng, x) for x in xs]
    ws = [random_direction(rng, np.zeros((size, *np.shape(v)), v.dtype)) for v in fun(*case.points(active))]

    def whole(*args: Any) -> tuple:
        return tuple(adjoint(lambda *a: tuple(jvp(fun, a, args[n : 2 * n])[1]), args[:n], args[2 * n :]))

    given = (*xs, *vs, *ws)
    found = vmap(whole)(*given)
    tol = 1e-9 if case.precise else 1e-4
    for row in range(size):
        wanted = whole(*[a[row] for a in given])
        for i, got, want in zip(active, found, wanted):
            agree(got[row], want, tol, f"vmap of vjp of jvp of {case.prim.name}, operand {case.name(i)!r}, {case}, "
                  f"example {row} against a loop", scale=_scale(wanted))


def _scale(values: Sequence[Any]) -> float:
    return max([1e-3, *[float(np.abs(np.asarray(v)).max(initial=0.0)) for v in values]])


def check_inside(case: Case, rng: np.random.Generator, adjoint: Callable[..., Any]) -> None:
    """A collective differentiated inside the mapped function against the derivative of the whole map."""
    prim = case.prim
    xs = case.points(case.live)
    vs = [random_direction(rng, x) for x in xs]
    outs, tangents = jvp(case.function(case.live), tuple(xs), tuple(vs))
    ws = [random_direction(rng, v) for v in outs]
    cts = adjoint(case.function(case.live), xs, ws)

    rest = [x for i, x in enumerate(case.operands) if i not in case.live]

    def one(others: Sequence[Any]) -> Callable[..., tuple]:
        def applied(*x: Any) -> tuple:
            live, dead = iter(x), iter(others)
            operands = [next(live if i in case.live else dead) for i in range(len(case.operands))]
            return (prim.fun(*operands, **case.named),)

        return applied

    n = len(xs)
    found = vmap(lambda others, *a: tuple(jvp(one(others), a[:n], a[n:])[1]), axis_name="i")(rest, *xs, *vs)
    for k, (v, want) in enumerate(zip(found, tangents)):
        agree(v, want, 1e-9, f"the jvp rule of {prim.name}, output {k}, {case}: inside vmap against outside")
    back = vmap(lambda others, *a: tuple(adjoint(one(others), a[:n], a[n:])), axis_name="i")(rest, *xs, *ws)
    for i, v, want in zip(case.live, back, cts):
        agree(v, want, 1e-9, f"the vjp rule of {prim.name}, operand {case.name(i)!r}, {case}: inside vmap against "
              "outside")
