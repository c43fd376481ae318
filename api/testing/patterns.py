"""Checks sparsity patterns: none may lack an element that the derivative has."""

from importlib.util import find_spec
from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of, make_aval
from ..core.errors import RuleError
from ..transforms.interpreters.forward import jvp
from ..transforms.interpreters.vmap import vmap
from ..transforms.sparse.maps import FlatMap
from ..transforms.sparse.pattern import dependence
from ..transforms.sparse.relations import Relation
from ..transforms.staging.staging import stage
from .cases import Case
from .compare import CheckError


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
