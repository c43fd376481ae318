"""The same output elsewhere: from a staged graph, and from every loaded backend."""

import logging
import sys
from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of
from ..core.arrays.backend import BACKENDS, Backend
from ..core.errors import BackendError
from ..core.primitive.primitive import NotLowered
from ..transforms.compile.loops.statements import KINDS
from ..transforms.compile.lower.lowering import ATOMIC, composed, lowered, recorded
from ..transforms.graph.equations import Equation, Literal, Var
from ..transforms.interpreters.forward import jvp
from ..transforms.interpreters.gradient import vjp
from ..transforms.staging.staging import make_graph
from .cases import Case
from .compare import CheckError, agree, random_direction, same_aval


def check_staged(case: Case, rng: np.random.Generator) -> None:
    """The staged operation, and its staged derivative, compute what the eager ones do."""
    if "collective" in case.prim.effects:
        return
    tol = 1e-11 if case.precise else 1e-5
    everywhere = tuple(i for i, x in enumerate(case.operands) if x.dtype.kind in "fc")
    fun = case.function(everywhere)
    _same(make_graph(fun)(*case.points(everywhere)), case.points(everywhere), fun(*case.points(everywhere)), tol,
          f"the graph of {case.prim.name}, {case}")
    if not case.live:
        return
    fun = case.function(case.live)
    xs = case.points(case.live)
    vs = [random_direction(rng, x) for x in xs]
    ws = [random_direction(rng, v) for v in fun(*xs)]
    n = len(xs)

    def both(*args: Any) -> tuple:
        tangents = jvp(fun, args[:n], args[n : 2 * n])[1]
        return (*tangents, *vjp(fun, *args[:n])[1](tuple(args[2 * n :])))

    given = (*xs, *vs, *ws)
    _same(make_graph(both)(*given), given, both(*given), tol, f"the graph of derivatives of {case.prim.name}, {case}")


def check_lowered(case: Case, rng: np.random.Generator) -> None:
    """The operations that it comes down to compute the same; to the last bit, where NumPy runs these."""
    prim = case.prim
    for variant in (case, case.narrowed()):
        avals = [aval_of(x) for x in variant.operands]
        if "collective" in prim.effects or not all(a.dtype in KINDS or a.dtype.kind in "iu" for a in avals):
            continue
        promised = prim.shape(avals, variant.params)
        eq = Equation(prim, list(map(Var, avals)), variant.params,
                      [Var(a) for a in (promised if type(promised) is tuple else (promised,))])
        found = _recorded(eq, variant)
        if found is None:
            continue
        steps, results = found
        values: dict[Any, Any] = dict(zip(eq.inputs, variant.operands))
        try:
            with np.errstate(over="ignore"):  # numbers of NumPy warn where integers wrap around, arrays do not
                for step in steps:
                    out = step.prim.rebind((*[_valued(v, values) for v in step.inputs], *step.params))
                    values.update(zip(step.outputs, out if type(out) is tuple else (out,)))
        except np.linalg.LinAlgError:
            continue  # code that meets such a matrix ends, and the implementation runs
        exact = composed(eq) is not None and eq.outputs[0].aval.ndim  # numbers of NumPy round in another way
        for k, (v, want) in enumerate(zip(results, variant.raw(variant.operands))):
            where = f"what {prim.name} comes down to, {variant}: result {k}"
            same_aval(np.asarray(_valued(v, values)), aval_of(want), where)
            agree(_valued(v, values), want, 0.0 if exact else 1e-11 if variant.precise else 1e-5, where)


def _recorded(eq: Equation, variant: Case) -> Any:
    """Record what an operation comes down to; None where it stays one. Errors of a `lower` are those of the check."""
    prim = eq.prim
    if isinstance(prim.lower, ATOMIC) or prim.elementwise and prim.composite:  # the impl, which may look at elements
        return lowered(eq, lambda step: True)
    try:
        steps, results = recorded(eq, lambda step: True)
    except NotLowered:
        return None
    except Exception as error:
        raise CheckError(f"the lower of {prim.name} raises {type(error).__name__}: {error}, {variant}; its operands "
                         "are staged, without elements, and for those that stay one operation it raises NotLowered"
                         ) from error
    if len(results) != len(eq.outputs):
        raise CheckError(f"the lower of {prim.name} gives {len(results)} results, and the shape rule declares "
                         f"{len(eq.outputs)}, {variant}")
    return steps, results


def _valued(v: Any, values: dict[Any, Any]) -> Any:
    return v.value if type(v) is Literal else values[v]


def _same(graph: Any, args: Any, wanted: Any, tol: float, where: str) -> None:
    found = graph(*args)
    for k, (v, want) in enumerate(zip(found, wanted)):
        agree(v, want, tol, f"{where}: result {k}")


def check_backends(case: Case, rng: np.random.Generator) -> None:
    """Values, jvp and vjp on each loaded backend beside NumPy."""
    if "collective" in case.prim.effects:
        return
    for backend in _loaded():
        if backend.usable(sys.modules[backend.module]):
            _on_backend(case, backend, rng)


def note_unusable() -> None:
    """Log which loaded backends are left out, since they cannot compute here."""
    for backend in _loaded():
        if not backend.usable(sys.modules[backend.module]):
            logging.getLogger("covector").warning("%s is loaded, but finds no device that it can use: no rule is "
                                                  "compared on its arrays", backend.name)


def _loaded() -> list[Backend]:
    return [b for b in BACKENDS.values() if b.name != "numpy" and b.module in sys.modules]


def _refused(case: Case, where: str) -> None:
    try:
        case.raw(case.operands)
    except BackendError:
        return
    raise AssertionError(f"{where} gave an output, but is declared to compute on the host alone")


def _on_backend(case: Case, backend: Backend, rng: np.random.Generator) -> None:
    there = backend.namespace(sys.modules[backend.module]).asarray
    tol = 1e-9 if case.precise else 1e-4
    where = f"{case.prim.name} on {backend.name}, {case}"
    moved = Case(case.prim, case.sample, case.number, case.operands)
    moved.operands = [there(x) for x in case.operands]
    if case.prim.host:
        _refused(moved, where)
        return
    wanted = case.gauged(case.operands)
    for k, (v, want) in enumerate(zip(moved.gauged(moved.operands), wanted)):
        agree(backend.to_numpy(v), want, tol, f"{where}: output {k}")
    if not case.live:
        return
    xs = case.points(case.live)
    vs = [random_direction(rng, x) for x in xs]
    outs, tangents = jvp(case.function(case.live), tuple(xs), tuple(vs))
    ws = [random_direction(rng, v) for v in outs]
    cts = vjp(case.function(case.live), *xs)[1](tuple(ws))
    fun = moved.function(case.live)
    far = tuple(moved.points(case.live))
    found = jvp(fun, far, tuple(there(v) for v in vs))[1]
    for k, (v, want) in enumerate(zip(found, tangents)):
        agree(backend.to_numpy(v), want, tol, f"the jvp rule of {where}: the tangent of output {k}")
    back = vjp(fun, *far)[1](tuple(there(w) for w in ws))
    for i, v, want in zip(case.live, back, cts):
        agree(backend.to_numpy(v), want, tol, f"the vjp rule of {where}: the cotangent of {case.name(i)!r}")
