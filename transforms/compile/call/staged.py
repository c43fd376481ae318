"""Stage a function for given arguments as a draft, with the names of inputs and outputs."""

import inspect
import re
from typing import NamedTuple

from ....core.arrays.avals import short_dtype
from ....core.checks import check_function
from ....core.errors import DtypeError, RuleError, ShapeError, TreeError, at_user_line
from ....core.types import Any
from ...arguments.arguments import NAMESPACE, computable, flatten, optree, settle
from ...arguments.escape_checks import check_escaped
from ...graph.equations import walk
from ...scope.errstate import unmarked
from ...staging.staging import stage
from ..loops.statements import KINDS
from ..lower.lowering import inlined, is_any_call
from ..lower.lowerings import culprit, is_foreign, is_native
from ..program import described, optimised
from ..render.c.c_file import is_bounded
from ..render.c.names import unused


class Named(NamedTuple):
    """An argument or a result: its name in C, where it is in Python, and its aval."""

    name: str
    path: str
    aval: Any


class Staged(NamedTuple):
    """A function for given arguments."""

    draft: Any
    known: dict[Any, Any]  # what each native equation comes down to
    inputs: list[Named]
    outputs: list[Named]


def staged(fun, args, who, written=lambda eq: True):
    """The `Staged` of a function; `written`: which products of matrices are, and are not left to a library."""
    check_function(fun, who, f"write {who}(f, x)")
    leaves, rebuild = flatten(tuple(args))
    with unmarked():
        graph, _ = stage(lambda *given: _checked(fun(*given), fun, who), leaves, rebuild, who)
    check_escaped(graph.captured)  # a file cannot hold a value of a transform around it
    draft = optimised(inlined(graph, is_any_call), frozenset(graph.inputs))  # no call is left: a file has one function
    result = graph.rebuild(list(range(len(graph.outputs))))
    taken: set[str] = set()
    inputs = _named(tuple(args), _parameters(fun, len(args)), graph.in_avals, taken)
    outputs = _named((result,), ["out"], [v.aval for v in draft.outputs], taken)
    for kind, values in (("argument", inputs), ("result", outputs)):
        for v in values:
            if v.aval.dtype not in KINDS or not v.aval.dtype.isnative:
                raise DtypeError(f"{who} writes arrays of float64, float32, int64, int32 and bool, but the {kind} "
                                 f"{v.path} is {short_dtype(v.aval.dtype)}{list(v.aval.shape)}; convert it with "
                                 f".astype{at_user_line()}")
            if not v.aval.size:
                raise ShapeError(f"{who} writes arrays that have elements, but the {kind} {v.path} has shape "
                                 f"{v.aval.shape}; leave it out{at_user_line()}")
    known = products(draft, written)
    return Staged(draft, known, inputs, outputs)


def products(draft, written):
    """The notes on a draft's equations: which products are written, and that no indices are which nobody checks."""
    known = {}
    for eq in walk(draft.equations):  # whatever library NumPy has
        if eq.prim.product == "matrices" and _is_product(eq):
            known[eq] = written(eq)
        elif is_bounded(eq, known) or is_foreign(eq, known):  # text without a way to raise, or to call SciPy
            known[eq] = False
    return known


def _is_product(eq):
    """Tell whether a product is one of strong floats of one dtype."""
    avals = [v.aval for v in (*eq.inputs, *eq.outputs)]
    return (not any(a.weak for a in avals) and len({a.dtype for a in avals}) == 1 and all(a.size for a in avals)
            and KINDS.get(avals[0].dtype, "i")[0] == "f")


def _checked(result, fun, who):
    """The result, if all of it is arrays and numbers."""
    leaves, _ = flatten(result)
    name = getattr(fun, "__name__", type(fun).__name__)
    if not leaves:
        raise TreeError(f"{who} needs a function that returns arrays, but {name} returned {result!r}; return what it "
                        f"computes{at_user_line()}")
    for leaf in leaves:
        if not computable(settle(leaf)):
            raise TypeError(f"{who} needs a function that returns arrays and numbers, but {name} returned {leaf!r} of "
                            f"type {type(leaf).__name__}; return arrays, and keep the rest outside{at_user_line()}")
    return result


def refuse(staged, who, language):
    """Raise for the first equation that has no form in the language."""
    for eq in staged.draft.equations:
        if not is_native(eq, staged.known):
            what, where = described(culprit(eq, staged.known))
            raise RuleError(f"{who}: {what} has no {language} form; indices that depend on values, sorts, linear "
                            "algebra, complex numbers, arrays without elements, side effects and "
                            f"many special functions have none: compute these before or after{where}")


def _parameters(fun, count):
    """The names of a function's positional parameters."""
    try:
        found = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        found = []
    names = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    rest = next((p.name for p in found if p.kind is p.VAR_POSITIONAL), "arg")
    return names + [f"{rest}{k}" for k in range(count - len(names))]


def _named(trees, roots, avals, taken):
    """The `Named` of all leaves of trees."""
    found = []
    for root, tree in zip(roots, trees):
        for accessor, path in zip(optree.tree_accessors(tree, namespace=NAMESPACE),
                                  optree.tree_paths(tree, namespace=NAMESPACE)):
            name = re.sub(r"\W", "_", "_".join(map(str, (root, *path))), flags=re.ASCII)
            if len(path) == 1 and type(path[0]) is int and root == "out":
                name = f"out{path[0]}"
            found.append((unused(name, taken), accessor.codify(root)))
    return [Named(name, path, aval) for (name, path), aval in zip(found, avals, strict=True)]


