"""Legality: which equations native code has, and what those do that are not element by element."""

import numpy as np

from ...graph.equations import Var
from ...graph.layout import VIEWS
from ..loops.constants import FEW
from ..loops.kinds import KINDS
from ..machine.blas import products_library
from ..machine.error_states import may_be_native
from .elementwise import elementary
from .indexing import fits
from .lowering import lowered, named
from .products import few_products, is_small, sizes

_FEW_STEPS = 1 << 13  # statements of a body, beyond which a loop is left to NumPy
REDUCERS = {"reduce_sum": "add", "reduce_max": "maximum", "reduce_min": "minimum", "reduce_prod": "multiply",
            "reduce_all": "bitwise_and", "reduce_any": "bitwise_or"}
MOVES = frozenset(VIEWS)


def is_basic(index):
    """Tell whether an index takes a view."""
    parts = index if type(index) is tuple else (index,)
    return all(i is None or i is Ellipsis or type(i) in (int, slice) for i in parts)


def is_native(eq, known):
    """Tell whether native code has an equation; `known` notes of each what it comes down to, or whether there is a
    rule."""
    found = known.get(eq)
    if found is None:
        found = known[eq] = _looked_at(eq, known)
    return found is not False


def _looked_at(eq, known):
    if eq.acts or eq.prim.effects or not eq.outputs or not may_be_native(eq):
        return False
    if not all(_fits(v.aval) for v in (*eq.inputs, *eq.outputs)) or any(v.aval.weak for v in eq.outputs):
        return False
    name = eq.prim.name
    if name in _LOOPS:
        return _LOOPS[name](eq, known)
    if name in _RULES and _RULES[name](eq):
        return True
    steps = elementary(eq)
    if steps is not None:
        return steps
    several = None if any(v.aval.weak for v in eq.inputs) else lowered(eq, lambda part: True)
    steps = several and named(eq, *several)
    return Expansion(steps) if steps and all(is_native(part, known) for part in steps) else False


class Expansion:
    """The equations that one comes down to."""

    __slots__ = ("equations",)

    def __init__(self, equations):
        self.equations = equations


def _fits(aval):
    return aval.dtype in KINDS and aval.size > 0 and aval.dtype.isnative


def _strong(eq):
    return not any(v.aval.weak for v in eq.inputs)


def _same_dtype(eq):
    return _strong(eq) and len({v.aval.dtype for v in (*eq.inputs, *eq.outputs)}) == 1


def _reduction(eq):
    kind = KINDS[eq.outputs[0].aval.dtype]
    if not _same_dtype(eq):
        return False
    name = REDUCERS[eq.prim.name]
    return kind == "b8" if name[0] == "b" else kind[0] in "fi"


def _adds(eq):
    """Tell whether numbers of one dtype, not booleans, are added."""
    return _strong(eq) and eq.inputs[0].aval.dtype == eq.outputs[0].aval.dtype and (
        eq.outputs[0].aval.dtype.kind in "fi")


def _product(eq):
    return (_floats(eq)
            and (is_small(*[v.aval for v in eq.inputs]) or products_library() is not None))


def _scan(eq, known):
    body = eq.params[0]
    return body.graph is not None and eq.params[3] > 0 and _is_body(body.graph, known)


def _closed(eq, known):
    return all(body.graph is not None and _is_body(body.graph, known) for body in eq.bodies())


def _is_body(graph, known):
    """Tell whether all that a body does is native; its outputs are variables or numbers."""
    avals = [v.aval for v in (*graph.inputs, *graph.outputs)]
    return (all(_fits(a) for a in avals) and not any(v.aval.weak for v in graph.outputs)
            and len(graph.equations) < _FEW_STEPS and all(is_native(eq, known) for eq in graph.equations))


def _branch(eq, known):
    return eq.inputs[0].aval.dtype == np.bool_ and not eq.inputs[0].aval.shape and _closed(eq, known)


def _while(eq, known):
    flag = eq.params[0].graph.outputs[0] if eq.params[0].graph is not None else None
    return flag is not None and flag.aval.dtype == np.bool_ and not flag.aval.shape and _closed(eq, known)


def _contraction(eq):
    n, k, m = sizes(eq)
    return _floats(eq) and (few_products(n, k, m) or products_library() is not None)


def _floats(eq):
    return _same_dtype(eq) and KINDS[eq.outputs[0].aval.dtype][0] == "f"


def _convolution(eq):
    return _floats(eq) and products_library() is not None


def _real(eq):
    return _strong(eq) and eq.inputs[0].aval == eq.outputs[0].aval


_LOOPS = {"scan": _scan, "while": _while, "cond": _branch}
_RULES = {
    **dict.fromkeys(REDUCERS, _reduction),
    "getitem": lambda eq: _strong(eq) and is_basic(eq.params[0]),
    "reshape": _strong, "transpose": _strong, "flip": _strong,
    "broadcast_to": lambda eq: True,
    "stop_gradient": _strong,
    "concatenate": _same_dtype, "stack": _same_dtype, "pad": _same_dtype,
    "index_update": lambda eq: is_basic(eq.params[0]) and not any(
        v.aval.weak and type(v) is Var for v in eq.inputs) and eq.inputs[0].aval.dtype == eq.outputs[0].aval.dtype
    and (not eq.params[1] or KINDS[eq.outputs[0].aval.dtype] != "b8"),
    "einsum": _contraction, "cumsum": _same_dtype, "cumprod": _same_dtype,
    "windows": _strong, "overlap_add": _floats, "conv": _convolution, "conv_input": _convolution,
    "conv_weight": _convolution,
    "real": _real, "conjugate": _real, "duplicate": _real,
    "take": lambda eq: _strong(eq) and fits(eq.inputs[1], eq.inputs[0].aval.shape[eq.params[0]]),
    "scatter_add": lambda eq: _adds(eq) and fits(eq.inputs[1], eq.params[1]),
    "counted": lambda eq: fits(eq.inputs[0], eq.params[0]), "last_writer": lambda eq: fits(eq.inputs[0], eq.params[0]),
    "pick": _same_dtype, "spread": lambda eq: _same_dtype(eq) and _adds(eq), "implant": _same_dtype,
    "matmul": _product, "outer": _floats, **dict.fromkeys(("put_rows", "add_rows"), lambda eq: True),
    "assemble": lambda eq: eq.outputs[0].aval.size > FEW,
}


def computes(eq):
    """Tell whether an equation does more than move elements."""
    return eq.prim.name not in MOVES and eq.prim.name not in ("stop_gradient", "rank_vary")
