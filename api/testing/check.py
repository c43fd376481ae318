"""`check`: every rule of a primitive against its primal, over its samples."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of, make_aval
from ..core.arrays.dtypes import is_inexact
from ..core.errors import RuleError
from ..core.tape.unbroadcast import conj
from ..transforms.interpreters.forward import jvp
from ..transforms.interpreters.gradient import vjp
from ..transforms.interpreters.vmap import vmap
from ..transforms.sparse.maps import FlatMap
from ..transforms.sparse.pattern import dependence
from ..transforms.sparse.relations import Relation
from ..transforms.staging.staging import stage
from .batching import check_batch, check_inside, check_nested, check_vmap
from .cases import ROUTES, Case, cases, find
from .compare import CheckError, agree, difference, inner, random_direction, same_aval
from .elsewhere import check_backends, check_lowered, check_staged, note_unusable

# Checks sparsity patterns: none may lack an element that the derivative has.


def check_patterns(case: Case, rng: np.random.Generator) -> None:
    """The pattern of the operation, and that of its derivative, against the columns of its Jacobian."""
    if find_spec("scipy") is None or not case.live:
        return
    alone = {i: _columns(case.function((i,)), case.points((i,))[0]) for i in case.live}
    for active in case.subsets():
        xs = case.points(active)
        fun = case.function(active)
        parts = [alone[i] for i in active]
        if any(part is None for part in parts):
            continue
        dense = np.concatenate(parts, 1)
        found = {"depends": _of_values(fun, xs)}
        if case.sample.orders > 0:
            found["jvp"] = FlatMap(fun, tuple(range(len(xs))), "sparsity", tuple(xs), {}).pattern().toarray()
        for kind, pattern in found.items():
            missing = np.argwhere(dense & ~pattern)
            if len(missing):
                raise CheckError(f"the pattern of {case.prim.name} by its {kind} lacks an element of operand "
                                 f"{case.names(active)}: output {missing[0][0]} depends on element {missing[0][1]} "
                                 f"({len(missing)} in all), {case}")


def _columns(fun: Any, x: Any) -> Any:
    """The nonzero pattern of the Jacobian, by unit tangents, those of a complex operand in both directions."""
    units = np.eye(x.size, dtype=x.dtype).reshape((x.size, *x.shape))
    hit = np.zeros((sum(v.size for v in fun(x)), x.size), bool)
    for tangents in (units, 1j * units) if x.dtype.kind == "c" else (units,):
        try:
            moved = vmap(lambda t: jvp(fun, (x,), (t,))[1])(tangents.astype(x.dtype))
        except (RuleError, np.linalg.LinAlgError):  # a tangent for which a derivative does not exist
            return None
        if x.size and moved:
            hit |= np.concatenate([np.reshape(t, (x.size, -1)) for t in moved], 1).T != 0
    return hit


def _of_values(fun: Any, xs: list) -> Any:
    """The pattern of the graph of the function itself."""
    avals = [make_aval(aval_of(x).shape, aval_of(x).dtype) for x in xs]
    graph, _ = stage(fun, avals, tuple, "sparsity", like=xs, watch=False)
    total, given, before = sum(a.size for a in avals), [], 0
    for a in avals:
        given.append(Relation.identity(before, a.size, total))
        before += a.size
    parts = [Relation.empty(a.size, total) if r is None else r
             for r, a in zip(dependence(graph, given), graph.out_avals)]
    return np.concatenate([p.matrix().toarray() for p in parts]) if parts else np.zeros((0, total), bool)


DOT = 1e-9  # the promise; single precision gets what it can hold
SINGLE = 2e-5


def check(primitive: Any, *, seed: int = 0, stages: Sequence[str] | None = None) -> int:
    """Check every rule of a primitive on each of its samples.

    Stages: `shape` (the shape rule returns the actual shape and dtype; float32 stays float32), `first` (the jvp
    against finite differences of the primal, the dot-product identity Re⟨w, Jv⟩ = Re⟨Jᴴw, v⟩ on the fast paths and
    on the general path, also at non-smooth points and on empty arrays), `second` (derivatives of both, against
    finite differences and each other), `batch` (the batching rule against a loop, each subset of batched operands,
    0, 1 and 3 examples), `vmap` (vmap of vjp of jvp against a loop), `staged` (the graph computes the same),
    `lowered` (what compilers take it for computes the same), `backends` (each loaded backend against NumPy, if it
    finds a device), `patterns` (with SciPy: no sparsity pattern lacks an element of the Jacobian), `nested` (maps over
    different operands inside each other, where the primitive is not elementwise).

    Args:
        primitive: a public function that is a primitive, its `Primitive`, or its name.
        seed: the seed of the samples and the random directions.
        stages: names of stages; all by default.
    Returns:
        the number of samples checked.
    Raises:
        CheckError: a rule is wrong; the message names primitive, sample, rule, operand, worst element and both values.

    >>> import covector
    >>> from covector.testing import check
    >>> check("multiply") > 5
    True
    """
    prim = find(primitive)
    found = cases(prim, seed)
    chosen = [s for s in STAGES if stages is None or s in stages]
    if "backends" in chosen:
        note_unusable()
    for name in chosen:
        for case in found:
            if prim.handlers is None or name in ("first", "second", "vmap", "staged", "patterns"):
                STAGES[name](case, np.random.default_rng(seed + 1))
    return len(found)


def adjoint(fun: Callable[..., tuple], xs: Sequence[Any], ws: Sequence[Any]) -> list[Any]:
    """`Jᴴ w`: the internal convention, from the public pullback, which conjugates at its boundary."""
    _, pullback = vjp(fun, *xs)
    return [conj(c) for c in pullback(tuple(conj(w) for w in ws))]


def check_shape(case: Case, rng: np.random.Generator) -> None:
    """The shape rule gives what the implementation gives, and float32 stays float32."""
    for variant in (case, case.narrowed()):
        prim = case.prim
        answers = variant.raw(variant.operands)
        if "collective" not in prim.effects:
            promised = prim.shape([aval_of(x) for x in variant.operands], variant.params)
            promised = list(promised) if isinstance(promised, tuple) else [promised]
            if len(promised) != len(answers):
                raise CheckError(f"{prim.name}: the shape rule declares {len(promised)} outputs, the implementation "
                                 f"returns {len(answers)}, {variant}")
            for k, (v, aval) in enumerate(zip(answers, promised)):
                same_aval(v, aval, f"{prim.name}: the output differs from the shape rule, output {k}, {variant}")
        if "dtype" in prim.params or not any(is_inexact(x.dtype) for x in variant.operands):
            continue
        if variant is not case:
            for k, v in enumerate(answers):
                if is_inexact(np.dtype(v.dtype)) and np.dtype(v.dtype).itemsize > (8 if v.dtype.kind == "c" else 4):
                    raise CheckError(f"{prim.name}: output {k} is {v.dtype} on single precision operands, {variant}")


def check_first(case: Case, rng: np.random.Generator) -> None:
    """Jvp against finite differences, vjp against jvp, shapes and dtypes of both."""
    prim = case.prim
    if prim.flat:
        _check_flat(case, rng)
    for variant in dict.fromkeys((case.widened(), case) if not case.precise else (case,)):
        tol = DOT if variant.precise else SINGLE
        for active in variant.subsets():
            xs = variant.points(active)
            vs = [random_direction(rng, x) for x in xs]
            reference = variant.function(active)
            exact = _differences(variant, reference, xs, vs)
            for route in ROUTES:
                fun = variant.function(active, route)
                where = f"{prim.name} ({route}), operand {variant.names(active)}, {variant}"
                outs, tangents = jvp(fun, tuple(xs), tuple(vs))
                ws = [random_direction(rng, v) for v in outs]
                cts = adjoint(fun, xs, ws)
                for k, (t, out) in enumerate(zip(tangents, outs)):
                    same_aval(t, out, f"the jvp rule of {where}: the tangent of output {k}")
                    if exact is not None:
                        agree(t, exact[k], variant.sample.tol, f"the jvp rule of {where}: the tangent of output {k} "
                              "against finite differences")
                for i, c, x in zip(active, cts, xs):
                    same_aval(c, x, f"the vjp rule of {where}: the cotangent of {variant.name(i)!r}")
                _check_dot(ws, tangents, cts, vs, tol, f"the vjp rule of {where}")
                _check_finite(variant, tangents, cts, where)


def _check_flat(case: Case, rng: np.random.Generator) -> None:
    """A map declared flat has the derivative zero by finite differences, too."""
    case = case.widened()
    active = [i for i, x in enumerate(case.operands) if is_inexact(x.dtype)]
    if not active or not case.sample.smooth:
        return
    xs = case.points(active)
    for k, slope in enumerate(difference(case.function(active), xs, [random_direction(rng, x) for x in xs])):
        agree(slope, np.zeros_like(slope), 1e-6, f"{case.prim.name} is declared flat, output {k}, {case}: the slope by "
              "finite differences", scale=1.0)


def _differences(case: Case, fun: Callable[..., tuple], xs: Sequence[Any], vs: Sequence[Any]) -> list[Any] | None:
    if not case.sample.smooth or not case.precise and case.widened().precise:
        return None
    return difference(fun, xs, vs)


def _check_dot(ws: Any, tangents: Any, cts: Any, vs: Any, tol: float, where: str) -> None:
    forward, size = inner(ws, tangents)
    backward, other = inner(cts, vs)
    allowed = tol * max(size, other)
    if not abs(forward - backward) <= allowed and not (forward != forward and backward != backward):
        raise CheckError(f"{where}: Re<w, Jv> = {forward!r}, but Re<Jᴴw, v> = {backward!r} "
                         f"(difference {abs(forward - backward):.3g}, allowed {allowed:.3g})")


def _check_finite(case: Case, tangents: Any, cts: Any, where: str) -> None:
    for kind, values in (("jvp", tangents), ("vjp", cts)):
        for k, v in enumerate(values):
            if not np.isfinite(np.asarray(v)).all():
                raise CheckError(f"the {kind} rule of {where}: result {k} is not finite: {np.asarray(v)!r}")


def check_second(case: Case, rng: np.random.Generator) -> None:
    """The derivative of the vjp and of the jvp: forward against finite differences, reverse against forward."""
    case = case.widened()
    if case.sample.orders < 2 or not case.live or not case.precise:
        return
    active = case.live
    xs = case.points(active)
    fun = case.function(active)
    n = len(xs)
    maps = {
        "vjp": (lambda *a: tuple(adjoint(fun, a[:n], a[n:])), [random_direction(rng, v) for v in fun(*xs)]),
        "jvp": (lambda *a: tuple(jvp(fun, a[:n], a[n:])[1]), [random_direction(rng, x) for x in xs]),
    }
    for kind, (derivative, extra) in maps.items():
        points = [*xs, *extra]
        directions = [random_direction(rng, x) for x in points]
        outs, tangents = jvp(derivative, tuple(points), tuple(directions))
        where = f"{kind} of {case.prim.name}, operand {case.names(active)}, {case}"
        if case.sample.smooth:
            exact = difference(derivative, points, directions)
            for k, (t, want) in enumerate(zip(tangents, exact)):
                agree(t, want, 10 * case.sample.tol, f"the jvp of the {where}: result {k} against finite differences")
        ws = [random_direction(rng, v) for v in outs]
        cts = adjoint(derivative, points, ws)
        for c, x in zip(cts, points):
            same_aval(c, x, f"the vjp of the {where}")
        _check_dot(ws, tangents, cts, directions, DOT, f"the vjp of the {where}")


STAGES = {
    "shape": check_shape,
    "first": check_first,
    "batch": lambda case, rng: (check_inside(case, rng, adjoint) if "collective" in case.prim.effects else
                                check_batch(case, rng)),
    "second": check_second,
    "vmap": lambda case, rng: check_vmap(case, rng, adjoint),
    "staged": check_staged,
    "lowered": check_lowered,
    "backends": check_backends,
    "patterns": check_patterns,
    "nested": check_nested,
}
